package import BrasaHTTP
import BrasaIdentity
import BrasaTreeWire
package import NIOCore

/// The door of one event loop for clients that get no WebSocket: `/.lp`, over HTTP/1.1 and HTTP/2.
package struct TreePollDoor: Sendable {
    static let path = "/.lp"

    private static let script = "application/javascript; charset=utf-8"
    private static let closed = Self.answer(PollScript.close)
    private static let notFound = HTTPAnswer(
        400,
        "long polling of version 5 is served here: /.lp?start=t&v=5&cb=N&ns=NAME\n"
    )
    // Nobody knows by which page a script is fetched.
    private static let foreign = HTTPAnswer(403, "pages of other origins have to show a token\n")
    private static let full: HTTPAnswer = {
        var answer = HTTPAnswer(503, "there are too many sessions\n")
        answer.retryAfterSeconds = 1
        return answer
    }()

    private let trees: TreeSocketDoor
    private let table: PollTable
    private let eventLoop: any EventLoop

    package init(_ trees: TreeSocketDoor, _ table: PollTable, on eventLoop: any EventLoop) {
        self.trees = trees
        self.table = table
        self.eventLoop = eventLoop
    }

    package func register(in router: inout HTTPRouter) {
        var dialect = HTTPDialect()
        dialect.fieldNames = ["host", "origin", "sec-fetch-site", "sec-fetch-mode"]
        // What a session's requests bring is counted where it is looked at, and other requests here.
        router.add(["GET", "POST"], Self.path, for: .everybody, isCounted: false, dialect: dialect) { request, done in
            done(self.answer(request))
        }
    }

    private func answer(_ request: HTTPRequest) -> HTTPAnswer {
        guard let parameters = HTTPQuery.parameters(request.query),
            let asked = PollRequest(parameters.map { (name: $0.name, value: $0.value) })
        else { return Self.notFound }
        if case .poll(let key, let segments) = asked, let (session, number) = self.table.session(key) {
            let reply = PollReply(number, of: session, on: self.eventLoop)
            session.onLoop { $0.poll(reply, segments) }
            return Self.answer(reply)
        }
        if let nanoseconds = request.admission?.takeCall() {
            return .tooMany("calls", retryAfter: nanoseconds)
        }
        switch asked {
        case .start(let callback): return self.start(request, parameters, callback)
        case .poll: return Self.closed
        case .leavingPage:
            var answer = HTTPAnswer(200, contentType: "text/html; charset=utf-8", PollScript.leavingPage)
            answer.isSecret = true
            return answer
        case .leave(let key):
            self.table.session(key)?.session.onLoop { $0.end() }
            return Self.closed
        }
    }

    private func start(
        _ request: HTTPRequest,
        _ parameters: [HTTPField],
        _ callback: PollRequest.Callback
    ) -> HTTPAnswer {
        guard let admission = request.admission, let reception = request.reception else { return Self.foreign }
        let page = Self.page(request)
        guard admission.mayBeUsed(by: page) else { return Self.foreign }
        let host = request.fields["host"]
        guard let handshake = TreeHandshake(host: host, parameters) else { return Self.notFound }
        guard let budget = self.table.takePlace(for: request.peer) else { return Self.full }
        let conversation = TreeConversation(
            self.trees,
            reception,
            admission,
            handshake,
            host: host ?? "",
            page: page,
            budget: budget
        )
        let session = PollSession(self.newKey(), in: self.table, callback, conversation, on: self.eventLoop)
        self.table.add(session, of: request.peer)
        let reply = PollReply(0, of: session, on: self.eventLoop)
        session.onLoop { $0.start(reply) }
        // Perhaps since there was a place for it.
        if self.table.isDraining { session.onLoop { $0.end() } }
        return Self.answer(reply)
    }

    /// The page that has the script fetched. Browsers do not always say which it is, or go there themselves, as for a frame: then
    /// it may be any.
    private static func page(_ request: HTTPRequest) -> PageOrigin? {
        let host = request.fields["host"] ?? ""
        let isKnown = request.fields["origin"] != nil || request.fields["sec-fetch-site"] != nil
        guard request.fields["sec-fetch-mode"] != "navigate" else { return PageOrigin("null", host: host) }
        return isKnown ? PageOrigin(host: host) { request.fields[$0] } : PageOrigin("null", host: host)
    }

    private func newKey() -> PollRequest.Key {
        PollRequest.Key(id: self.trees.newName(), password: self.trees.newName())
    }

    private static func answer(_ script: String) -> HTTPAnswer {
        var answer = HTTPAnswer(200, contentType: Self.script, script)
        answer.isSecret = true
        return answer
    }

    private static func answer(_ reply: PollReply) -> HTTPAnswer {
        var answer = Self.answer("")
        answer.pieces = reply.pieces
        return answer
    }
}
