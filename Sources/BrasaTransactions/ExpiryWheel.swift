/// Transactions by the second in which they are to be looked at again. Each is in it once while it is open.
struct ExpiryWheel {
    /// Nanoseconds.
    static let slot: Int64 = 1_000_000_000

    private var slots: [Int64: [TransactionID]] = [:]

    mutating func schedule(_ id: TransactionID, at time: Int64) {
        self.slots[time / Self.slot, default: []].append(id)
    }

    /// Takes out what is due, in the order of the slots. May be up to one slot early; the caller looks at the clock.
    mutating func takeDue(now: Int64) -> [TransactionID] {
        let due = self.slots.keys.filter { $0 <= now / Self.slot }.sorted()
        return due.flatMap { self.slots.removeValue(forKey: $0) ?? [] }
    }
}
