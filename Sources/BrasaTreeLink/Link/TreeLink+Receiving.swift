import BrasaTree
import BrasaTreeWire

extension TreeLink {
    /// One text frame.
    package mutating func receive(_ frame: [UInt8], socket: Int, uptime: Duration) -> [LinkAction] {
        guard self.isNewest(socket) else { return [] }
        self.pinged = nil
        do throws(WireFault) {
            guard let text = try self.joiner.join(frame) else { return [] }
            var limits = WireLimits()
            limits.messageBytesMax = self.configuration.messageBytesMax
            if let message = try ServerMessage.reading(text, limits: limits) { self.take(message, uptime) }
        } catch {
            self.lose("what came is no message", uptime)
        }
        return self.finishStep()
    }

    private mutating func take(_ message: ServerMessage, _ uptime: Duration) {
        switch message {
        case .hello(let milliseconds, let host, let session):
            guard case .connecting = self.phase else { return }
            self.session = session
            if !self.configuration.isHostFixed, !host.isEmpty { self.host = host }
            self.redirections = 0
            self.serverClockStart = .milliseconds(milliseconds) - uptime
            self.actions.append(.news(.serverTime(milliseconds)))
            self.send(TreeAction.stats(Self.statistics).text(number: self.requests.nextNumber()), uptime)
            guard let token = self.knownToken else { return self.open(uptime) }
            let number = self.requests.nextNumber()
            self.phase = .authenticating(until: uptime + self.configuration.patience, number: number)
            self.send(TreeAction.authenticate(TreeCredential(token)).text(number: number), uptime)
        case .reset(let host): self.redirect(to: host, uptime)
        case .shutdown(let reason): self.shutDown(reason, uptime)
        case .pong: break
        case .response(let number, let status, let data): self.answer(number, status, data, uptime)
        case .push(.authRevoked(_, let reason)):
            self.log("the token is not good any more: \(reason)")
            // While who asks changes it is the one before.
            if !self.isCallerChanging { self.refuseToken() }
            self.lose("the token has ended", uptime)
        case .push(let push): if self.isOpen { self.actions.append(.news(.pushed(push))) }
        }
    }

    private static let statistics: JSONValue = ["sdk.swift.brasa": 1]

    private mutating func open(_ uptime: Duration) {
        self.phase = .open(Connection(since: uptime, caller: self.takenCaller(uptime)))
        self.actions.append(.news(.opened))
    }

    private mutating func answer(_ number: Int64, _ status: TreeStatus, _ data: ResponseData, _ uptime: Duration) {
        if case .authenticating(_, number) = self.phase {
            guard self.isTaken(status, data, uptime) else { return }
            return self.open(uptime)
        }
        if case .open(let connection) = self.phase, connection.renewal == number {
            return self.renewed(connection, status, data, uptime)
        }
        if let request = self.requests.answer(number) {
            self.actions.append(.news(.answered(request, status, data)))
        }
        self.flush(uptime)
    }

    private mutating func renewed(
        _ connection: Connection,
        _ status: TreeStatus,
        _ data: ResponseData,
        _ uptime: Duration
    ) {
        var connection = connection
        connection.renewal = nil
        // The token before is good until its end, and the next attempt comes before. But nobody goes on as who they are not.
        if case .taken = connection.caller, status == .unavailable {
            self.phase = .open(connection)
            return self.log("the server cannot tell now whether the token is good")
        }
        guard self.isTaken(status, data, uptime) else { return }
        connection.caller = self.takenCaller(uptime)
        self.phase = .open(connection)
        self.flush(uptime)
    }

    /// The server has taken the token.
    private func takenCaller(_ uptime: Duration) -> Caller {
        let token = self.knownToken
        return .taken(token: token, renewalTime: self.renewalTime(of: token, uptime))
    }

    /// Whether the server knows who asks.
    private mutating func isTaken(_ status: TreeStatus, _ data: ResponseData, _ uptime: Duration) -> Bool {
        guard status != .ok else {
            self.refusedTokens = 0
            return true
        }
        // A server that cannot tell now may be able to later, by the same token.
        if status != .unavailable { self.refuseToken() }
        self.lose("the token was not taken: \(status.rawValue)", uptime)
        return false
    }

    /// Tells the server on an open connection who asks from now on.
    mutating func renew(_ connection: Connection, _ uptime: Duration) {
        let number = self.requests.nextNumber()
        let action = self.knownToken.map { TreeAction.authenticate(TreeCredential($0)) } ?? .unauthenticate
        var connection = connection
        connection.renewal = number
        self.phase = .open(connection)
        self.send(action.text(number: number), uptime)
    }
}

extension TreeCredential {
    /// A token of three parts is a user's, and says itself who that is; others are administrators'.
    fileprivate init(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        self.init(token: token, isAdministrator: parts.count != 3)
    }
}
