/// What a connection keeps for its peer, and what it has drawn from the process's budget for that. Only on its event loop.
package final class ByteAccount {
    /// What is drawn at a time, so that what small calls keep for a moment touches nothing that other loops use. The first
    /// piece is about what an open connection takes by itself; with it a few small calls are answered whatever happens.
    static let pieceBytes = 16 << 10

    private let budget: ByteBudget?
    package private(set) var usedBytes = 0
    private var grantedBytes: Int
    /// Used though it was not granted.
    private(set) var excessBytes = 0
    /// What comes too late counts for nothing, or it would be drawn for ever.
    private var isClosed = false

    /// - Parameter budget: nil bounds nothing.
    package init(_ budget: ByteBudget?) {
        self.budget = budget
        self.grantedBytes = budget == nil ? .max : 0
    }

    func open() {
        guard let budget = self.budget, self.grantedBytes == 0 else { return }
        budget.drawAnyway(Self.pieceBytes)
        self.grantedBytes = Self.pieceBytes
    }

    /// Everything is to be let go of before.
    func close() {
        assert(self.usedBytes == 0, "bytes are kept for a connection that is gone")
        self.isClosed = true
        guard let budget = self.budget else { return }
        budget.giveBack(self.grantedBytes + self.excessBytes)
        self.grantedBytes = 0
        self.excessBytes = 0
    }

    /// Counts bytes that are kept from now on. False when there was no room for them: then the caller lets go of them, or
    /// they are few.
    @discardableResult
    package func add(_ count: Int) -> Bool {
        guard !self.isClosed else { return false }
        self.usedBytes += count
        if self.usedBytes <= self.grantedBytes { return true }
        if self.draw(upTo: self.usedBytes) { return true }
        self.settleExcess()
        return false
    }

    package func remove(_ count: Int) {
        guard !self.isClosed else { return }
        self.usedBytes -= count
        if self.excessBytes > 0 { self.settleExcess() }
        guard self.excessBytes == 0 else { return }
        if self.usedBytes == 0 || self.grantedBytes - self.usedBytes >= 4 * Self.pieceBytes {
            self.giveBack()
        }
    }

    /// Lets go of bytes that somebody keeps though the connection may be gone: they stay drawn from the budget, and are given
    /// back there. Nil: nothing is bounded.
    package func detach(_ count: Int) -> ByteBudget? {
        guard !self.isClosed else { return nil }
        self.budget?.drawAnyway(count)
        self.remove(count)
        return self.budget
    }

    /// Whether so many bytes more can be kept.
    package func hasRoom(for count: Int) -> Bool {
        guard !self.isClosed else { return false }
        return self.usedBytes + count <= self.grantedBytes || self.draw(upTo: self.usedBytes + count)
    }

    /// Places for streams that are kept though they are gone; without a budget there are always some.
    func drawSpareStreams(_ count: Int) -> Bool { self.budget?.drawSpareStreams(count) ?? true }

    func giveBackSpareStreams(_ count: Int) { self.budget?.giveBackSpareStreams(count) }

    var isBudgetScarce: Bool { self.budget?.isScarce ?? false }

    private func draw(upTo bytes: Int) -> Bool {
        guard let budget = self.budget else { return true }
        let count = Self.wholePieces(bytes) - self.grantedBytes
        guard budget.draw(count, holding: self.grantedBytes) else { return false }
        self.grantedBytes += count
        self.settleExcess()
        return true
    }

    private func settleExcess() {
        let excess = max(0, self.usedBytes - self.grantedBytes)
        guard excess != self.excessBytes else { return }
        self.budget?.drawAnyway(excess - self.excessBytes)
        self.excessBytes = excess
    }

    /// All but what is used, and one piece.
    private func giveBack() {
        guard let budget = self.budget, self.grantedBytes > Self.pieceBytes else { return }
        let rest = min(self.grantedBytes, Self.wholePieces(self.usedBytes) + Self.pieceBytes)
        budget.giveBack(self.grantedBytes - rest)
        self.grantedBytes = rest
    }

    private static func wholePieces(_ bytes: Int) -> Int {
        (bytes + Self.pieceBytes - 1) / Self.pieceBytes * Self.pieceBytes
    }
}
