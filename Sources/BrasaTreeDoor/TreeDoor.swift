package import BrasaHTTP
import BrasaIdentity
import BrasaTree
package import BrasaTreeService
package import NIOCore

/// The Realtime Database's REST on one event loop: paths that end with `.json`.
package struct TreeDoor: Sendable {
    /// What fits a record of the log; a larger write would be refused after it was read.
    package static let bodyBytesMax = 32 << 20
    /// Longer rules would be refused after they were read.
    private static let rulesBytesMax = 256 << 10
    private static let settingBytesMax = 256

    // Nobody knows when one of the others ends.
    private static let noScript = TreeReply.http(.error(403, "a script is answered to who shows a token only"))
    private static let tooManyStreams: HTTPAnswer = {
        var answer = TreeReply.http(.error(429, "there are too many streams or listeners of this caller"))
        answer.retryAfterSeconds = 1
        return answer
    }()

    private let service: TreeService
    private let followers: TreeFollowers
    private let eventLoop: any EventLoop

    package init(_ service: TreeService, _ followers: TreeFollowers, on eventLoop: any EventLoop) {
        self.service = service
        self.followers = followers
        self.eventLoop = eventLoop
    }

    package func register(in router: inout HTTPRouter) {
        var dialect = HTTPDialect()
        dialect.fieldNames = TreeHead.fieldNames
        dialect.tokenParameters = ["auth", "access_token"]
        dialect.refused = TreeReply.http(.error(401, "Could not parse auth token."))
        dialect.busy = TreeReply.http(.error(503, "the request's credentials cannot be verified now"))
        dialect.tooMany = TreeReply.http(.error(429, "there are too many calls of this caller"))
        dialect.tooLarge = TreeReply.http(.tooMuchToWrite)
        // Before all paths, of which these are none.
        let writing = ["GET", "HEAD", "PUT", "DELETE"]
        for path in ["/.settings/rules.json", "/.settings/rules"] {
            self.add(writing, path, Self.rulesBytesMax, dialect, to: &router) { call, _, done in
                self.service.answerRules(call) { done(TreeReply.http($0)) }
            }
        }
        for name in TreeService.settingNames {
            let path = "/.settings/\(name).json"
            self.add(["GET", "HEAD", "PUT"], path, Self.settingBytesMax, dialect, to: &router) { call, _, done in
                self.service.answer(settingNamed: name, call) { done(TreeReply.http($0)) }
            }
        }
        self.add(["GET", "HEAD"], "/.inspect/databases.json", 0, dialect, to: &router) { call, _, done in
            self.service.answerDatabases(call) { done(TreeReply.http($0)) }
        }
        self.add(writing + ["POST", "PATCH"], "/{*}.json", Self.bodyBytesMax, dialect, to: &router) {
            call,
            request,
            done in
            self.answer(call, request, done)
        }
    }

    private typealias Answerer =
        @Sendable (TreeCall, HTTPRequest, _ done: @escaping @Sendable (HTTPAnswer) -> Void) -> Void

    private func add(
        _ methods: [String],
        _ pattern: String,
        _ bodyBytesMax: Int,
        _ dialect: HTTPDialect,
        to router: inout HTTPRouter,
        _ answerer: @escaping Answerer
    ) {
        router.add(
            methods + ["OPTIONS"],
            pattern,
            for: .everybody,
            bodyBytesMax: bodyBytesMax,
            otherwise: { TreeReply.http(.error(405, "\($0) is not supported here")) },
            dialect: dialect
        ) { request, done in
            guard request.method != "OPTIONS" else { return done(TreeReply.preflight) }
            do throws(TreeHead.Refusal) {
                let call = try TreeHead(request).call
                // Browsers do not always say that a page has a script fetched.
                if call.wantsScript, request.admission?.isAmbient ?? false { return done(Self.noScript) }
                answerer(call, request, done)
            } catch {
                done(TreeReply.http(error.answer))
            }
        }
    }

    private func answer(_ call: TreeCall, _ request: HTTPRequest, _ done: @escaping @Sendable (HTTPAnswer) -> Void) {
        guard call.method == .get, request.fields["accept"]?.contains(TreeReply.eventStream) ?? false else {
            return self.service.answer(call) { done(TreeReply.http($0)) }
        }
        let claim = request.admission?.share.map { CallerClaim($0) }
        if let claim, !claim.openStream() || !claim.setListeners(1) { return done(Self.tooManyStreams) }
        switch self.service.stream(call, admission: request.admission, self.followers) {
        case .refused(let answer): done(TreeReply.http(answer))
        case .stream(let stream): done(TreeReply.http(EventSender(stream, claim, on: self.eventLoop)))
        }
    }
}
