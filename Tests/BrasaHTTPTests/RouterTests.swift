import BrasaIdentity
import Synchronization
import Testing

@testable import BrasaHTTP

@Suite struct RouterTests {
    private static let router: HTTPRouter = {
        var router = HTTPRouter()
        router.get("/", for: .everybody) { HTTPAnswer(200, "root") }
        router.get("/secret", for: .administrators) { HTTPAnswer(200, "secret") }
        router.add(["DELETE"], "/a/{one}/b/{two}", for: .everybody) { request, answer in
            answer(HTTPAnswer(200, request.parameters.joined(separator: ",")))
        }
        router.refuse("/a/{one}") { HTTPAnswer($0 == "POST" ? 415 : 404, "no") }
        return router
    }()

    private func answer(_ method: String, _ target: String, by caller: Caller = .administrator) -> HTTPAnswer? {
        let answers = Mutex<[HTTPAnswer]>([])
        let done: @Sendable (HTTPAnswer) -> Void = { answer in answers.withLock { $0.append(answer) } }
        Self.router.answer(HTTPRequest(method: method, target: target, caller: caller), done)
        return answers.withLock { $0.count == 1 ? $0[0] : nil }
    }

    @Test(arguments: [
        ("GET", "/", 200, "root"), ("HEAD", "/?x=/a", 200, "root"),
        ("POST", "/", 405, "POST is not supported here\n"),
        ("DELETE", "/a/1/b/2", 200, "1,2"), ("DELETE", "/a/%20/b/%C3%A9?q", 200, " ,é"),
        ("DELETE", "/a/x%2Fy/b/", 200, "x/y,"),
        ("DELETE", "/a/%FF/b/2", 404, "nothing is served at /a/%FF/b/2\n"),
        ("DELETE", "/a/%2/b/2", 404, "nothing is served at /a/%2/b/2\n"),
        ("DELETE", "/a/1/b/2/", 404, "nothing is served at /a/1/b/2/\n"),
        ("GET", "", 404, "nothing is served at \n"), ("GET", "*", 404, "nothing is served at *\n"),
        ("POST", "/a/1", 415, "no"), ("GET", "/a/1", 404, "no"),
    ])
    func `A request is answered by the first route whose path it has`(
        _ method: String,
        _ target: String,
        _ status: Int,
        _ body: String
    ) {
        #expect(self.answer(method, target) == HTTPAnswer(status, body))
    }

    @Test(arguments: [Caller.nobody, .user(User(id: "u"))])
    func `What is for administrators is answered to nobody else, whatever the method`(_ caller: Caller) {
        #expect(self.answer("GET", "/secret") == HTTPAnswer(200, "secret"))
        for method in ["GET", "HEAD", "POST"] {
            #expect(self.answer(method, "/secret", by: caller)?.status == 403)
        }
        #expect(self.answer("GET", "/", by: caller)?.status == 200)
    }
}
