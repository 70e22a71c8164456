import BrasaBackoff
import BrasaTree
import BrasaTreeWire

/// A client's connection to a database as a machine, over all the sockets that it takes: frames, outcomes and times in,
/// actions out. It knows no network and no clock.
///
/// A connection begins with the server's hello. The client says what it is made of and who it is, and waits for the answer
/// to that, since listens that came before it would be refused. Then it is open: listens are asked for again, and after
/// them, in their order, the writes and other requests that have no answer. When it goes, the next is made after a wait
/// that grows.
package struct TreeLink: Sendable {
    enum Phase: Hashable, Sendable {
        /// Nobody wants a connection, or the server does not.
        case stopped
        case waiting(until: Duration)
        case fetchingToken(until: Duration)
        /// Until the server's hello.
        case connecting(until: Duration)
        case authenticating(until: Duration, number: Int64)
        case open(Connection)
    }

    struct Connection: Hashable, Sendable {
        let since: Duration
        var caller: Caller
        /// The number of an `auth` or `unauth` that has no answer yet.
        var renewal: Int64?
    }

    /// Whom the server of an open connection takes the client for.
    enum Caller: Hashable, Sendable {
        /// Whoever the token says, as is right.
        /// - Parameter renewalTime: when a newer token of the same caller is fetched.
        case taken(token: String?, renewalTime: Duration?)
        /// Whoever it was before; the token of who it is now is fetched, or sent.
        /// - Parameter until: the server has to have taken that token by then, or the connection ends.
        case changing(until: Duration)

        /// When something is to be done about it.
        var deadline: Duration? {
            switch self {
            case .taken(_, let time): time
            case .changing(let time): time
            }
        }
    }

    enum Token: Hashable, Sendable {
        case unknown(isRefresh: Bool)
        case known(String?)
    }

    let configuration: LinkConfiguration
    var phase = Phase.stopped
    var host: String
    var session: String?
    var token: Token
    var requests = RequestQueue()
    var backoff: BackoffDelays
    /// The newest; what others say does not matter.
    var socket = 0
    var fetch = 0
    /// Tokens that were refused, one after the other.
    var refusedTokens = 0
    /// Other hosts that the server has sent to, one after the other.
    var redirections = 0
    /// The server's clock, as its last hello had it, when this one was at zero.
    var serverClockStart = Duration.zero
    var joiner: FrameJoiner
    var lastSent = Duration.zero
    /// A ping that nothing has come after.
    var pinged: Duration?
    /// Of the step that is being made.
    var actions: [LinkAction] = []

    package init(_ configuration: LinkConfiguration) {
        self.configuration = configuration
        self.host = configuration.host
        self.token = configuration.hasTokenProvider ? .unknown(isRefresh: false) : .known(configuration.token)
        self.backoff = BackoffDelays(configuration.backoff)
        self.joiner = FrameJoiner(messageBytesMax: configuration.messageBytesMax)
    }

    package var isOpen: Bool { if case .open = self.phase { true } else { false } }

    var isCallerChanging: Bool {
        if case .open(let connection) = self.phase, case .changing = connection.caller { true } else { false }
    }

    /// Until when nothing need be done if nothing comes: then `tick`.
    package var deadline: Duration? {
        switch self.phase {
        case .stopped: nil
        case .waiting(let until), .fetchingToken(let until), .connecting(let until), .authenticating(let until, _):
            until
        case .open(let connection):
            connection.caller.deadline.map { min($0, self.keepaliveDeadline) } ?? self.keepaliveDeadline
        }
    }

    var keepaliveDeadline: Duration {
        self.pinged.map { $0 + self.configuration.keepaliveTimeout }
            ?? self.lastSent + self.configuration.keepaliveInterval
    }

    mutating func finishStep() -> [LinkAction] {
        defer { self.actions = [] }
        return self.actions
    }

    func isNewest(_ socket: Int) -> Bool {
        switch self.phase {
        case .connecting, .authenticating, .open: socket == self.socket
        case .stopped, .waiting, .fetchingToken: false
        }
    }
}

// MARK: Requests

extension TreeLink {
    /// Sends a request, or keeps it until it can be. Listens are not kept: whoever resumes tells them anew.
    package mutating func request(_ request: LinkRequest, uptime: Duration) -> [LinkAction] {
        switch request {
        case .listen, .unlisten: guard self.isOpen else { return [] }
        case .write, .transaction, .onDisconnect, .get: break
        }
        self.requests.append(request)
        self.flush(uptime)
        return self.finishStep()
    }

    /// The connection is open, and these listens are to be asked for, then everything that waits.
    package mutating func resume(_ listens: [LinkRequest], uptime: Duration) -> [LinkAction] {
        guard self.isOpen else { return [] }
        self.requests.prepend(listens)
        self.flush(uptime)
        return self.finishStep()
    }

    /// Gives up requests. What was sent the server may carry out all the same.
    package mutating func drop(where condition: (LinkRequest) -> Bool) -> [LinkRequest] {
        self.requests.remove(where: condition)
    }

    mutating func flush(_ uptime: Duration) {
        // Nobody asks in the name of whom they were before: the server goes on by that token until it takes the other.
        guard self.isOpen, !self.isCallerChanging else { return }
        while let entry = self.requests.next {
            let hasRoom =
                self.requests.sentCount < self.configuration.requestsMax
                && self.requests.sentBytes < self.configuration.requestBytesMax
            guard hasRoom else { return }
            let text = entry.request.action.text(number: entry.number)
            guard text.count <= TreeLimits.writeBytesMaxClient else {
                // The server would end the connection, and the next one, too.
                self.requests.takeNext(bytes: nil)
                let message = "More than \(TreeLimits.writeBytesMaxClient) bytes"
                self.actions.append(.news(.answered(entry.request, .tooBig, .text(message))))
                continue
            }
            self.requests.takeNext(bytes: text.count)
            self.send(text, uptime)
        }
    }

    mutating func send(_ message: [UInt8], _ uptime: Duration) {
        self.lastSent = uptime
        for frame in FrameSplitter.split(message) { self.actions.append(.socket(.send(frame))) }
    }

    mutating func log(_ text: String) { self.actions.append(.socket(.log(text))) }
}
