import BrasaIdentity
import BrasaTree
import Testing

@testable import BrasaTreeService

/// Calls of REST, with statuses and texts that clients of the hosted service know.
@Suite struct TreeServiceTests {
    private let bench: ServiceBench

    init() throws {
        self.bench = try ServiceBench()
    }

    @Test func `What is written is answered as it is stored, and read back`() throws {
        let bench = self.bench
        #expect(try bench.ask(.get, "/").body == "null")
        #expect(try bench.ask(.put, "/a", [], #"{"x":1,"n":null}"#).body == #"{"x":1}"#)
        let update = try bench.ask(.patch, "/", [], #"{"a/y":{".sv":{"increment":2}},"b":true}"#)
        #expect(update.body == #"{"a/y":2,"b":true}"#)
        #expect(try bench.ask(.get, "/").body == #"{"a":{"x":1,"y":2},"b":true}"#)
        #expect(try bench.ask(.delete, "/a/x").body == "null")
        #expect(try bench.ask(.get, "/a").body == #"{"y":2}"#)
        #expect(try bench.ask(.patch, "/", [], "null").body == "null")
        #expect(try bench.ask(.get, "/").body == "null")
    }

    @Test func `Posted values get names in the order they came`() throws {
        let first = try self.bench.ask(.post, "/list", [], "1")
        let second = try self.bench.ask(.post, "/list", [], "2")
        #expect(first.status == 200 && first.body.hasPrefix(#"{"name":""#) && first.body < second.body)
        #expect(try self.bench.ask(.get, "/list", [("shallow", "true")]).body.contains("true"))
    }

    @Test(
        arguments: [
            ([], 200, #"{"c":{"s":3},"d":{"s":1}}"#),
            ([("print", "silent")], 204, ""),
            ([("shallow", "true")], 200, #"{"c":true,"d":true}"#),
            ([("format", "export")], 200, #"{"c":{"s":3,".priority":7},"d":{"s":1}}"#),
            ([("orderBy", #""s""#), ("limitToLast", "1")], 200, #"{"c":{"s":3}}"#),
            ([("orderBy", #""$key""#), ("startAt", #""d""#)], 200, #"{"d":{"s":1}}"#),
            ([("shallow", "true"), ("limitToFirst", "1"), ("startAfter", "c")], 200, #"{"d":true}"#),
            ([("callback", "app.f")], 200, #"/**/app.f({"c":{"s":3},"d":{"s":1}});"#),
            (
                [("limitToFirst", "1")], 400,
                #"{"error":"orderBy must be defined when other query parameters are defined"}"#
            ),
            (
                [("timeout", "16min")], 400,
                #"{"error":"timeout must be a positive number of ms, s or min, 15min at most"}"#
            ),
            ([("timeout", "5s")], 200, #"{"c":{"s":3},"d":{"s":1}}"#),
            ([("callback", "alert(1)")], 400, #"{"error":"callback must be the name of a function"}"#),
        ] as [([(String, String)], Int, String)]
    )
    func `Parameters say how much is read, and how it looks`(
        _ parameters: [(String, String)],
        _ status: Int,
        _ body: String
    ) throws {
        try self.bench.judge(by: #"{"q":{".indexOn":"s"}}"#)
        _ = try self.bench.ask(.put, "/q", [], #"{"c":{"s":3,".priority":7},"d":{"s":1}}"#)
        let answer = try self.bench.ask(.get, "/q", parameters)
        #expect(answer.status == status && answer.body == body)
    }

    @Test func `A write by condition happens on what was seen, else tells what is there`() throws {
        let bench = self.bench
        let absent = try bench.ask(.get, "/n") { $0.wantsETag = true }
        #expect(absent.etag == "null_etag")
        let first = try bench.ask(.put, "/n", [], "1") { $0.ifMatch = "null_etag" }
        #expect(first.status == 200 && first.etag != nil)
        let late = try bench.ask(.put, "/n", [], "2") { $0.ifMatch = "null_etag" }
        #expect(late.status == 412 && late.body == "1" && late.etag == first.etag)
        #expect(try bench.ask(.get, "/n") { $0.ifNoneMatch = first.etag }.status == 304)
        #expect(try bench.ask(.put, "/n", [], "2") { $0.ifMatch = late.etag }.status == 200)
        #expect(try bench.ask(.delete, "/n") { $0.ifMatch = late.etag }.status == 412)
        #expect(try bench.ask(.get, "/n") { $0.ifMatch = "x" }.status == 400)
        #expect(try bench.ask(.patch, "/n", [], "{}") { $0.wantsETag = true }.status == 400)
    }

    @Test(
        arguments: [
            (.put, "", "Error: No data supplied."),
            (.put, "{", "Invalid data; couldn't parse JSON object, array, or value."),
            (
                .put, #"{"a.b":1}"#,
                "Invalid data; couldn't parse JSON object, array, or value. Perhaps you're using invalid characters in "
                    + "your key names."
            ),
            (
                .patch, "[1]",
                "Invalid data; couldn't parse JSON object. Are you sending a JSON object with valid key names?"
            ),
            (.put, #"{".sv":"what"}"#, "unrecognized server value"),
        ] as [(TreeCall.Method, String, String)]
    )
    func `What is no value of the tree is refused, and why`(
        _ method: TreeCall.Method,
        _ body: String,
        _ text: String
    ) throws {
        let answer = try self.bench.ask(method, "/a", [], body)
        #expect(answer.status == 400 && answer.body == "{\"error\":\"\(text)\"}")
        #expect(try self.bench.ask(.get, "/").body == "null")
    }

    @Test(arguments: [Caller.nobody, .user(User(id: "u"))])
    func `Without rules, users and strangers are refused before it is known what is there`(_ caller: Caller) throws {
        for method in [TreeCall.Method.get, .put, .post, .patch, .delete] {
            let answer = try self.bench.ask(method, "/a", [], "{}", by: caller)
            #expect(answer.status == 401 && answer.body == #"{"error":"Permission denied"}"#)
        }
    }

    @Test func `A large value comes in pieces of a bounded size, and a large body is read in turns`() throws {
        let count = 30_000
        let body = "{" + (0..<count).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
        #expect(body.utf8.count > 2 * WriteReader.turnBytes)
        #expect(try self.bench.ask(.put, "/large", [("print", "silent")], body).status == 204)
        var call = TreeCall(.get, self.bench.name, try TreeLocation("/large"), by: .administrator)
        call.parameters = []
        let box = AnswerBox()
        self.bench.service.answer(call) { box.add($0) }
        let answer = try #require(box.only)
        var output = try #require(answer.output())
        var pieces: [[UInt8]] = []
        while let piece = output.next() { pieces.append(piece) }
        #expect(pieces.count > 4 && pieces.allSatisfy { $0.count < TreeOutput.pieceBytes + 4_096 })
        let value = try JSONValue(parsing: pieces.flatMap { $0 })
        guard case .object(let members) = value else {
            Issue.record("no object")
            return
        }
        #expect(members.count == count)
    }

    @Test func `By key is found without going through the others, however many there are`() throws {
        let count = TreeService.queryChildrenMax + 1
        let text = "{" + (0..<count).map { "\"k\($0)\":0" }.joined(separator: ",") + "}"
        let node = try TreeTemplate(parsing: Array(text.utf8), at: .root).node
        let key = try #require(try TreeQuery(parameters: [.init("orderBy", "\"$key\""), .init("equalTo", "\"k7\"")]))
        let value = try #require(try TreeQuery(parameters: [.init("orderBy", "\"$value\""), .init("equalTo", "7")]))
        #expect(throws: Never.self) { try TreeService.checkWork(key, node) }
        #expect(throws: TreeCallRefusal.self) { try TreeService.checkWork(value, node) }
    }

    @Test func `Long texts are cut, and no piece is longer than two`() throws {
        let texts = (0..<12).map { "\"k\($0)\":\"\(String(repeating: "\\u0001", count: 4_000))\"" }
        let all = "{\"long\":\"\(String(repeating: "x", count: 200_000))\",\(texts.joined(separator: ","))}"
        let node = try TreeTemplate(parsing: Array(all.utf8)).node
        var output = TreeOutput(.node(node, .export))
        var pieces: [[UInt8]] = []
        while let piece = output.next() { pieces.append(piece) }
        #expect(pieces.allSatisfy { $0.count <= TreeOutput.pieceBytesMax })
        #expect(pieces.flatMap { $0 } == node.text(.export))
    }
}
