import BrasaBackoff
import BrasaTreeWire

extension TreeLink {
    /// A connection is wanted, at once.
    package mutating func start(uptime: Duration) -> [LinkAction] {
        guard self.phase == .stopped else { return [] }
        self.backoff.reset()
        self.begin(uptime)
        return self.finishStep()
    }

    /// None is wanted until the next start.
    package mutating func stop(uptime: Duration) -> [LinkAction] {
        self.end(uptime)
        self.phase = .stopped
        return self.finishStep()
    }

    /// Who asks is another, or nobody any more: a token is fetched, and told to the server. Until the server has taken it,
    /// requests wait.
    package mutating func changeToken(uptime: Duration) -> [LinkAction] {
        guard self.configuration.hasTokenProvider else { return [] }
        (self.token, self.refusedTokens) = (.unknown(isRefresh: false), 0)
        switch self.phase {
        case .open(var connection):
            if case .taken = connection.caller {
                connection.caller = .changing(until: uptime + self.configuration.patience)
            }
            // An answer that is still to come would be to a token of whoever it was before.
            connection.renewal = nil
            self.phase = .open(connection)
            self.fetchToken(isRefresh: false)
        case .connecting, .authenticating, .fetchingToken:
            self.end(uptime)
            self.begin(uptime)
        case .stopped, .waiting: break
        }
        return self.finishStep()
    }

    /// What a provider has given: nil for no token, or why there is none to be had.
    package mutating func tokenFetched(
        _ result: Result<String?, LinkTokenError>,
        fetch: Int,
        uptime: Duration
    ) -> [LinkAction] {
        guard fetch == self.fetch else { return [] }
        switch (self.phase, result) {
        case (.fetchingToken, .success(let token)):
            self.token = .known(token)
            self.connect(uptime)
        case (.fetchingToken, .failure(let error)):
            self.log("no token could be fetched: \(error.description)")
            self.wait(uptime)
        case (.open(let connection), .success(let token)):
            self.token = .known(token)
            self.renew(connection, uptime)
        case (.open(let connection), .failure(let error)):
            self.log("no token could be fetched: \(error.description)")
            if case .changing = connection.caller { self.loseOldCaller(uptime) }
        // Asked for by a connection that is no more: the next one asks again where it has to.
        case (.stopped, _), (.waiting, _), (.connecting, _), (.authenticating, _): break
        }
        return self.finishStep()
    }

    /// A socket is no more, or never came to be.
    /// - Parameter isUnauthorized: the server did not let it in.
    package mutating func closed(
        socket: Int,
        isUnauthorized: Bool = false,
        reason: String,
        uptime: Duration
    ) -> [LinkAction] {
        guard self.isNewest(socket) else { return [] }
        if isUnauthorized { self.refuseToken() }
        self.lose(reason, uptime)
        return self.finishStep()
    }

    package mutating func tick(uptime: Duration) -> [LinkAction] {
        guard let deadline, deadline <= uptime else { return [] }
        switch self.phase {
        case .stopped: break
        case .waiting: self.begin(uptime)
        case .fetchingToken:
            self.log("a token's provider takes too long")
            self.fetch += 1
            self.wait(uptime)
        case .connecting, .authenticating: self.lose("no answer", uptime)
        case .open(let connection): self.tick(connection, uptime)
        }
        return self.finishStep()
    }

    private mutating func tick(_ connection: Connection, _ uptime: Duration) {
        switch connection.caller {
        case .changing(let deadline) where deadline <= uptime: return self.loseOldCaller(uptime)
        case .taken(let token, let time?) where time <= uptime:
            // The provider may have kept the one that is about to end.
            self.fetchToken(isRefresh: true)
            var connection = connection
            // Unless another one is taken by then, whatever has become of this.
            connection.caller = .taken(token: token, renewalTime: self.renewalTime(of: token, uptime))
            self.phase = .open(connection)
        case .taken, .changing: break
        }
        if self.keepaliveDeadline <= uptime { self.keepAlive(uptime) }
    }

    /// The server goes on by the token of whoever it was before: rather by none.
    private mutating func loseOldCaller(_ uptime: Duration) {
        self.lose("the server does not know yet that who asks is another", uptime)
    }

    private mutating func keepAlive(_ uptime: Duration) {
        guard self.pinged == nil else { return self.lose("nothing comes any more", uptime) }
        (self.pinged, self.lastSent) = (uptime, uptime)
        self.actions.append(.socket(.send(Self.ping)))
    }

    private static let ping = Array(#"{"t":"c","d":{"t":"p","d":{}}}"#.utf8)
}

/// Why there is no token.
package struct LinkTokenError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

extension TreeLink {
    private mutating func begin(_ uptime: Duration) {
        switch self.token {
        case .known: self.connect(uptime)
        case .unknown(let isRefresh):
            self.phase = .fetchingToken(until: uptime + self.configuration.patience)
            self.fetchToken(isRefresh: isRefresh)
        }
    }

    private mutating func fetchToken(isRefresh: Bool) {
        self.fetch += 1
        self.actions.append(.socket(.fetchToken(isRefresh: isRefresh, fetch: self.fetch)))
    }

    private mutating func connect(_ uptime: Duration) {
        self.socket += 1
        self.joiner = FrameJoiner(messageBytesMax: self.configuration.messageBytesMax)
        self.pinged = nil
        self.phase = .connecting(until: uptime + self.configuration.patience)
        let address = LinkAddress(host: self.host, lastSession: self.session, token: self.knownToken)
        self.actions.append(.socket(.connect(address, socket: self.socket)))
    }

    /// A connection whose token ends is ended by the server, which does then what is to be done at the end of a connection.
    /// Half of the time that is left passes between two attempts.
    /// - Returns: when a newer one is fetched than this, which the server has taken.
    func renewalTime(of token: String?, _ uptime: Duration) -> Duration? {
        guard self.configuration.hasTokenProvider, let end = token.flatMap(TokenEnd.seconds) else { return nil }
        let left = .seconds(end) - self.serverClockStart - uptime
        // Who is given the same one again and again does not ask without a pause.
        guard left > .seconds(1) else { return nil }
        return uptime + max(left - self.configuration.renewalLead, left / 2)
    }

    var knownToken: String? { if case .known(let token) = self.token { token } else { nil } }

    /// Ends what there is of a connection.
    private mutating func end(_ uptime: Duration) {
        switch self.phase {
        case .stopped, .waiting, .fetchingToken: break
        case .connecting, .authenticating: self.actions.append(.socket(.disconnect))
        case .open(let connection):
            if uptime - connection.since >= self.configuration.healthyAfter { self.backoff.reset() }
            self.actions.append(.socket(.disconnect))
            self.actions.append(.news(.lost(unsentTransactions: self.requests.lose())))
        }
    }

    /// The connection has gone, and another is made after a while.
    mutating func lose(_ reason: String, _ uptime: Duration) {
        self.log("the connection to \(self.host) has ended: \(reason)")
        if case .connecting = self.phase, !self.configuration.isHostFixed {
            // Where the server has sent to there is nobody; where it began there may be.
            self.host = self.configuration.host
        }
        self.end(uptime)
        self.wait(uptime)
    }

    private mutating func wait(_ uptime: Duration) {
        // Nobody gets a better token by asking all the time.
        if self.refusedTokens > Self.refusedTokensMax { self.backoff.resetToLongest() }
        if self.backoff.isReset { _ = self.backoff.next(spent: .zero, chance: 0) }
        let delay = self.backoff.next(spent: .zero, chance: self.configuration.chance())
        self.phase = .waiting(until: uptime + delay)
    }

    private static let refusedTokensMax = 3
    private static let redirectionsMax = 5

    mutating func refuseToken() {
        guard self.configuration.hasTokenProvider else { return }
        self.refusedTokens += 1
        self.token = .unknown(isRefresh: true)
    }

    /// The server is not here: the next connection goes elsewhere, without a wait.
    mutating func redirect(to host: String, _ uptime: Duration) {
        guard !self.configuration.isHostFixed, !host.isEmpty, self.redirections < Self.redirectionsMax else {
            return self.lose("sent elsewhere", uptime)
        }
        self.redirections += 1
        self.end(uptime)
        self.host = host
        self.begin(uptime)
    }

    /// The server wants none of it.
    mutating func shutDown(_ reason: String, _ uptime: Duration) {
        self.log("the server has ended the connection for good: \(reason)")
        self.end(uptime)
        self.phase = .stopped
    }
}
