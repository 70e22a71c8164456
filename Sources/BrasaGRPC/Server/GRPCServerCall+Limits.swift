internal import BrasaHTTP2
internal import NIOCore

/// What a call may keep, and how long its request may take.
extension GRPCServerCall {
    // MARK: Room

    /// Whether there is room for an answer of so many bytes at least. If not, the call has been ended with
    /// RESOURCE_EXHAUSTED. To be asked again by whoever let time pass before carrying out what cannot be taken back.
    package func hasRoom(for count: Int = 1) -> Bool {
        guard self.phase == .open else { return false }
        guard self.stream.hasRoom(for: count) else {
            self.fail(self.stream.account.hasRoom(for: count) ? .tooManyUnreadBytes : .noRoom)
            return false
        }
        return true
    }

    /// Counts bytes that the service keeps until the call ends, or will need for its answer. If there is no room for them
    /// the call has been ended with RESOURCE_EXHAUSTED.
    package func hold(_ count: Int) -> Bool {
        guard self.phase == .open else { return false }
        self.heldBytes += count
        return self.countRequest()
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
        let bytes = self.decoder.bufferedBytes + self.requestBytes + self.heldBytes
        let change = bytes - self.countedBytes
        guard change != 0 else { return nil }
        self.countedBytes = bytes
        let isWithinConnection = self.connection.requestBytesChanged(by: change)
        guard change > 0 else {
            self.stream.account.remove(-change)
            return nil
        }
        guard self.stream.account.add(change) else { return .noRoom }
        return isWithinConnection ? nil : .tooManyRequestBytes
    }

    // MARK: Time

    /// Starts the time limit for receiving, unless the client's own deadline comes first.
    func limitReceiving() {
        guard !self.flags.contains(.receiveTimed) else { return }
        let end = self.eventLoop.now + self.connection.server.limits.receiveTimeMax
        if let deadline = self.deadline, deadline <= end { return }
        self.flags.insert(.receiveTimed)
        self.wakeUp(at: end)
    }

    /// What has come of the next message is all that may take its time: a service that pauses holds up the client.
    func limitReceivingOfMessage() {
        if self.decoder.bufferedBytes > 0, !self.isPaused {
            self.limitReceiving()
        } else {
            self.endReceiveLimit()
        }
    }

    /// The message has arrived.
    func endReceiveLimit() {
        guard self.flags.contains(.receiveTimed) else { return }
        self.flags.remove(.receiveTimed)
        self.wakeUp(at: self.deadline)
    }

    private func wakeUp(at time: NIODeadline?) {
        if let ticket = self.deadlineTicket { self.connection.loop.deadlines.remove(ticket) }
        self.deadlineTicket = time.map { self.connection.loop.deadlines.insert(self, deadline: $0) }
    }
}

extension GRPCServerCall: DeadlineHolder {
    func deadlineExpired() {
        self.deadlineTicket = nil
        let isBlocked = self.stream.bufferedBytes > 0
        self.fail(self.flags.contains(.receiveTimed) ? self.connection.server.requestTooSlow : .deadlineExceeded)
        // The status would wait behind bytes that the client does not take.
        if isBlocked { self.stream.reset(.cancel) }
    }
}
