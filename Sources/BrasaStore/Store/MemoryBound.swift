import Synchronization

/// Whether commits may add to what is kept in memory. Once that is at its bound they may not until it is clearly below:
/// else every byte that is given back would be taken at once, and clients would hear now yes, now no.
final class MemoryBound: Sendable {
    /// The largest number: there is no bound.
    private let most: Atomic<Int>
    private let reserved: Int
    private let wasReached = Atomic<Bool>(false)

    /// The part of what is not others' that has to be free again.
    private static let resumeDivisor = 32

    /// - Parameter bytesMax: nil for no bound.
    init(bytesMax: Int?, reserved: Int) {
        self.most = Atomic(bytesMax ?? .max)
        self.reserved = reserved
    }

    var bytesMax: Int? {
        let bytes = self.most.load(ordering: .relaxed)
        return bytes == .max ? nil : bytes
    }

    /// Where commits go on from a bound that was reached. Nil without one.
    var resumeBytes: Int? { self.bytesMax.map { $0 - max(0, $0 - self.reserved) / Self.resumeDivisor } }

    /// What is there stays, also where there may be less.
    func setBytesMax(_ bytesMax: Int?) { self.most.store(bytesMax ?? .max, ordering: .relaxed) }

    /// When it was asked last.
    var isReached: Bool { self.wasReached.load(ordering: .relaxed) }

    /// Called by one thread at a time. A large commit may find no room where small ones still do: it is at the bound that
    /// one is refused which would not bring memory up from where commits are taken again.
    func admits(_ growth: Int, to bytes: Int) -> Bool {
        guard let bytesMax = self.bytesMax, let resumeBytes = self.resumeBytes else { return true }
        let fits = bytes + growth <= bytesMax
        if bytes <= resumeBytes {
            self.wasReached.store(false, ordering: .relaxed)
        } else if !fits, growth <= bytesMax - resumeBytes {
            self.wasReached.store(true, ordering: .relaxed)
        }
        return fits && !self.isReached
    }
}
