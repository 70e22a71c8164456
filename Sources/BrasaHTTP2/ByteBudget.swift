internal import Synchronization

/// The bytes that peers can make the process keep, on all connections together. Thread-safe.
///
/// A connection may go on drawing while it holds no more than what is left for all. So one connection gets half at most,
/// nine that take what they can get a tenth each, and who comes after them finds a tenth.
package final class ByteBudget: Sendable {
    package let bytesMax: Int
    private let drawn = Atomic<Int>(0)
    /// Streams that are gone and kept for those to come, on all connections: with what nghttp2 keeps for them, 2 KiB each
    /// at most.
    static let spareStreamsMax = 4096
    private let spareStreams = Atomic<Int>(0)

    package init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    package var drawnBytes: Int { self.drawn.load(ordering: .relaxed) }

    /// False when there is not enough left for a connection that has drawn `heldBytes` already.
    package func draw(_ count: Int, holding heldBytes: Int) -> Bool {
        let drawn = self.drawn.add(count, ordering: .relaxed).newValue
        if heldBytes + count <= self.bytesMax - drawn { return true }
        self.giveBack(count)
        return false
    }

    /// For what is kept in any case, and bounded elsewhere.
    func drawAnyway(_ count: Int) {
        self.drawn.add(count, ordering: .relaxed)
    }

    /// False when others have the places.
    func drawSpareStreams(_ count: Int) -> Bool {
        if self.spareStreams.add(count, ordering: .relaxed).newValue <= Self.spareStreamsMax { return true }
        self.giveBackSpareStreams(count)
        return false
    }

    func giveBackSpareStreams(_ count: Int) {
        self.spareStreams.subtract(count, ordering: .relaxed)
    }

    package func giveBack(_ count: Int) {
        self.drawn.subtract(count, ordering: .relaxed)
    }
}
