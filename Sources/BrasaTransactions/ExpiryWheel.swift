import BrasaPlatform

/// Transactions by the second in which they are to be looked at again. Each is in it once while it is open.
struct ExpiryWheel {
    static let slot: Duration = .seconds(1)

    private var slots: [Int64: [TransactionID]] = [:]

    mutating func schedule(_ id: TransactionID, at time: MonotonicTime) {
        self.slots[Self.number(time), default: []].append(id)
    }

    /// Takes out what is due, in the order of the slots. May be up to one slot early; the caller looks at the clock.
    mutating func takeDue(now: MonotonicTime) -> [TransactionID] {
        let last = Self.number(now)
        let due = self.slots.keys.filter { $0 <= last }.sorted()
        return due.flatMap { self.slots.removeValue(forKey: $0) ?? [] }
    }

    /// The slot is a second.
    private static func number(_ time: MonotonicTime) -> Int64 { time.sinceStart.components.seconds }
}
