/// When output leaves: at the end of the read batch, or at the end of this turn of the event loop, and never within itself.
struct PumpMachine {
    enum Phase {
        /// What is wanted has a turn of the loop scheduled for it.
        case idle
        /// The end of the read batch pumps.
        case reading
        case pumping
    }

    private(set) var phase = Phase.idle
    private var isScheduled = false
    /// Something was queued since the last look.
    private(set) var isWanted = false

    /// There is something to send. Whether a turn of the loop is to be scheduled for it.
    mutating func want() -> Bool {
        self.isWanted = true
        guard self.phase == .idle, !self.isScheduled else { return false }
        self.isScheduled = true
        return true
    }

    mutating func turnCame() { self.isScheduled = false }

    mutating func beginReading() { if self.phase == .idle { self.phase = .reading } }

    mutating func endReading() { if self.phase == .reading { self.phase = .idle } }

    /// False when it is at it.
    mutating func begin() -> Bool {
        guard self.phase != .pumping else { return false }
        self.phase = .pumping
        return true
    }

    /// Looks at what there is now.
    mutating func look() { self.isWanted = false }

    mutating func end() { self.phase = .idle }
}
