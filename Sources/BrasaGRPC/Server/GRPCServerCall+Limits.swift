internal import BrasaHTTP2
internal import NIOCore

/// What a call waits for: the client's deadline, or the time limit for receiving while that comes first.
struct GRPCTimeLimit {
    /// The client's.
    var deadline: NIODeadline?
    /// The time limit for receiving comes first.
    var isReceiving = false
}

/// What a call may keep, and how long its request may take.
extension GRPCServerCall {
    // MARK: Room

    /// Whether there is room for an answer of so many bytes at least. If not, the call has been ended with
    /// RESOURCE_EXHAUSTED. To be asked again by whoever let time pass before carrying out what cannot be taken back.
    package func hasRoom(for count: Int = 1) -> Bool {
        guard self.sending.isOpen, self.stream != nil else { return false }
        guard let refusal = self.roomRefusal(for: count) else { return true }
        self.fail(refusal)
        return false
    }

    /// Why there is no room for an answer of so many bytes at least.
    func roomRefusal(for count: Int) -> GRPCStatus? {
        guard let stream, !stream.hasRoom(for: count) else { return nil }
        return stream.account.hasRoom(for: count) ? .tooManyUnreadBytes : .noRoom
    }

    /// Counts bytes that the service keeps until the call ends, or will need for its answer. If there is no room for them
    /// the call has been ended with RESOURCE_EXHAUSTED.
    package func hold(_ count: Int) -> Bool {
        guard self.sending.isOpen else { return false }
        self.kept.held += count
        return self.countRequest()
    }

    /// The same for a call that goes on: why there is no room. Then nothing is counted.
    package func refusal(toHold count: Int) -> GRPCStatus? {
        guard self.sending.isOpen else { return .cancelled }
        self.kept.held += count
        guard let refusal = self.countKept() else { return nil }
        self.kept.held -= count
        self.countKept()
        return refusal
    }

    /// Ends the call when it is over a bound, unless that would say that nothing happened where something may have: what
    /// waits behind it is within the client's window.
    func countRequest() -> Bool {
        guard let refusal = self.countKept(), !self.hasOpenOutcome else { return true }
        self.fail(refusal)
        return false
    }

    /// Brings the counts up to date; why there is no room for what has come, if there is none.
    @discardableResult
    func countKept() -> GRPCStatus? {
        let change = self.kept.takeChange(buffered: self.receiving.bufferedBytes)
        guard change != 0 else { return nil }
        guard let connection = self.connection, let account = self.stream?.account else { return nil }
        let isWithinConnection = connection.requestBytesChanged(by: change)
        guard change > 0 else {
            account.remove(-change)
            return self.claim?.keep(self.kept.bytes)
        }
        guard account.add(change) else { return .noRoom }
        guard isWithinConnection else { return .tooManyRequestBytes }
        return self.claim?.keep(self.kept.bytes)
    }

    // MARK: Time

    /// The client's deadline.
    func limit(to timeout: TimeAmount) {
        let now = self.eventLoop.now
        let deadline = now + timeout
        self.time.deadline = deadline
        self.connection?.loop.deadlines.insert(self, deadline: deadline, now: now)
    }

    /// Whether the client's deadline has passed, also when the loop has not come to say so yet.
    var isOverdue: Bool {
        guard let deadline = self.time.deadline else { return false }
        return deadline <= self.eventLoop.now
    }

    /// Starts the time limit for receiving, unless the client's own deadline comes first.
    func limitReceiving() {
        guard !self.time.isReceiving, let connection = self.connection else { return }
        let now = self.eventLoop.now
        let end = now + connection.server.limits.receiveTimeMax
        if let deadline = self.time.deadline, deadline <= end { return }
        self.time.isReceiving = true
        connection.loop.deadlines.insert(self, deadline: end, now: now)
    }

    /// What has come of the next message is all that may take its time: a service that pauses holds up the client.
    func limitReceivingOfMessage() {
        if self.receiving.bufferedBytes > 0, !self.receiving.isStopped {
            self.limitReceiving()
        } else {
            self.endReceiveLimit()
        }
    }

    /// The message has arrived.
    func endReceiveLimit() {
        guard self.time.isReceiving else { return }
        self.time.isReceiving = false
        let deadlines = self.connection?.loop.deadlines
        if let deadline = self.time.deadline {
            deadlines?.insert(self, deadline: deadline, now: self.eventLoop.now)
        } else {
            deadlines?.remove(self)
        }
    }
}
