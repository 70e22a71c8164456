/// The other direction of a call on the server: what has been answered. It ends with the call.
struct GRPCSending {
    enum Phase {
        /// Nothing has been sent.
        case fresh
        /// The headers have; messages may follow.
        case begun
        /// Our status is on its way.
        case finished
        /// The client is gone, or this room has ended the call: nobody waits for the service's answer.
        case cancelled
    }

    private(set) var phase = Phase.fresh
    /// The client reads gzip and writes it: so do we.
    var compresses = false
    /// What was asked for may happen whether the call lives to see it or not.
    var hasOpenOutcome = false

    var isOpen: Bool { self.phase == .fresh || self.phase == .begun }

    /// Whether the headers are to be sent now.
    mutating func begin() -> Bool {
        guard self.phase == .fresh else { return false }
        self.phase = .begun
        return true
    }

    /// Whether the status is to be sent now.
    mutating func finish() -> Bool {
        guard self.isOpen else { return false }
        self.phase = .finished
        return true
    }

    /// Nobody waits for the answer any more, or what was answered was not the service's.
    mutating func cancel() { self.phase = .cancelled }
}
