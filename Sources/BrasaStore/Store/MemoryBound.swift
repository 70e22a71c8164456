import Synchronization

/// Whether commits may add to what is kept in memory. Once that is at its bound they may not until it is clearly below:
/// else every byte that is given back would be taken at once, and clients would hear now yes, now no.
final class MemoryBound: Sendable {
    let bytesMax: Int
    /// A bound that was reached is left behind here.
    let resumeBytes: Int
    private let wasReached = Atomic<Bool>(false)

    /// The part of what is not others' that has to be free again.
    private static let resumeDivisor = 32

    init(bytesMax: Int, reserved: Int) {
        self.bytesMax = bytesMax
        self.resumeBytes = bytesMax - max(0, bytesMax - reserved) / Self.resumeDivisor
    }

    /// When it was asked last.
    var isReached: Bool { self.wasReached.load(ordering: .relaxed) }

    /// Called by one thread at a time. A large commit may find no room where small ones still do: it is at the bound that
    /// one is refused which would not bring memory up from where commits are taken again.
    func admits(_ growth: Int, to bytes: Int) -> Bool {
        let fits = bytes + growth <= self.bytesMax
        if bytes <= self.resumeBytes {
            self.wasReached.store(false, ordering: .relaxed)
        } else if !fits, growth <= self.bytesMax - self.resumeBytes {
            self.wasReached.store(true, ordering: .relaxed)
        }
        return fits && !self.isReached
    }
}
