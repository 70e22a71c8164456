internal import Synchronization

/// The bytes that peers can make the process keep, on all connections together. Thread-safe.
///
/// A connection may go on drawing while it holds no more than what is left for all. So one connection gets half at most,
/// nine that take what they can get a tenth each, and who comes after them finds a tenth. Those of one address together may
/// while they hold no more than three times what is left: however many they are, others find a quarter.
package final class ByteBudget: Sendable {
    /// Of what all have, the parts that connections of one address leave one of.
    private static let addressParts = 4

    package let bytesMax: Int
    private let drawn = Atomic<Int>(0)
    /// The budget of all, of which this is what one address draws.
    private let whole: ByteBudget?
    /// Streams that are gone and kept for those to come, on all connections: with what nghttp2 keeps for them, 2 KiB each
    /// at most.
    static let spareStreamsMax = 4096
    private let spareStreams = Atomic<Int>(0)

    package init(bytesMax: Int) {
        self.bytesMax = bytesMax
        self.whole = nil
    }

    /// What the connections of one address draw from the budget of all.
    package init(ofAddressIn whole: ByteBudget) {
        self.bytesMax = whole.bytesMax
        self.whole = whole
    }

    package var drawnBytes: Int { self.drawn.load(ordering: .relaxed) }

    /// More than half of what all have is drawn.
    var isScarce: Bool { self.whole?.isScarce ?? (self.drawnBytes > self.bytesMax / 2) }

    /// False when there is not enough left for a connection that has drawn `heldBytes` already.
    package func draw(_ count: Int, holding heldBytes: Int) -> Bool {
        let drawn = self.drawn.add(count, ordering: .relaxed).newValue
        let isDrawn: Bool
        if let whole = self.whole {
            isDrawn = whole.draw(count, holding: heldBytes, sharing: drawn)
        } else {
            isDrawn = heldBytes + count <= self.bytesMax - drawn
        }
        if !isDrawn { self.drawn.subtract(count, ordering: .relaxed) }
        return isDrawn
    }

    /// - Parameter sharedBytes: what the connection's address holds with this.
    private func draw(_ count: Int, holding heldBytes: Int, sharing sharedBytes: Int) -> Bool {
        let left = self.bytesMax - self.drawn.add(count, ordering: .relaxed).newValue
        if heldBytes + count <= left, sharedBytes / (Self.addressParts - 1) <= left { return true }
        self.drawn.subtract(count, ordering: .relaxed)
        return false
    }

    /// For what is kept in any case, and bounded elsewhere.
    func drawAnyway(_ count: Int) {
        self.drawn.add(count, ordering: .relaxed)
        self.whole?.drawAnyway(count)
    }

    /// False when others have the places.
    func drawSpareStreams(_ count: Int) -> Bool {
        if let whole = self.whole { return whole.drawSpareStreams(count) }
        if self.spareStreams.add(count, ordering: .relaxed).newValue <= Self.spareStreamsMax { return true }
        self.giveBackSpareStreams(count)
        return false
    }

    func giveBackSpareStreams(_ count: Int) {
        if let whole = self.whole { return whole.giveBackSpareStreams(count) }
        self.spareStreams.subtract(count, ordering: .relaxed)
    }

    package func giveBack(_ count: Int) {
        self.drawn.subtract(count, ordering: .relaxed)
        self.whole?.giveBack(count)
    }
}
