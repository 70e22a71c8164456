import BrasaDocuments
import BrasaHTTP
import BrasaIdentity
import BrasaMessages
import BrasaPlatform
import BrasaRules
import BrasaService
import BrasaTreeJudging
import BrasaWire
import Foundation
import NIOCore
import Synchronization
import Testing

@testable import BrasaServer

@Suite struct RulesTests {
    private static func text(_ condition: String) -> String {
        """
        rules_version = '2';
        service cloud.firestore { match /databases/{database}/documents {
          match /c/{id} { allow read: if \(condition); }
        } }
        """
    }

    private static func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    @Test func `A file is read again when it changes, and one that cannot be used changes nothing`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/rules"
        let book = RuleBook()
        let file = RuleFile(path, book: book)
        guard case .failed = file.reload() else { throw StartError("there is no file") }
        let steps: [(String, RuleReload, Int)] = [
            (Self.text("true"), .changed(warnings: []), 1),
            (Self.text("true"), .unchanged, 1),
            (Self.text("tru +"), .failed(.init(description: "\(path):3:39: mismatched input ')'")), 1),
            (Self.text("tru +"), .unchanged, 1),
            (Self.text("false"), .changed(warnings: []), 2),
            (
                String(repeating: " ", count: RuleFileText.bytesMax + 1),
                .failed(.init(description: "\(path) is longer than 262144 bytes")), 2
            ),
            (Self.text("true"), .changed(warnings: []), 3),
        ]
        for (text, expected, edition) in steps {
            try Self.write(text, path)
            switch (file.reload(), expected) {
            case (.failed(let failure), .failed(let expected)):
                #expect(failure.description.hasPrefix(expected.description.prefix { $0 != " " }))
            case (let outcome, _): #expect(outcome == expected)
            }
            #expect(book.editionNumber == edition)
        }
    }

    @Test func `A file for trees is read in the same way, and names the rule that is at fault`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/rules.json"
        let book = TreeRuleBook()
        let file = RuleFile(path, book: book)
        try Self.write(#"{"rules":{".read":true}}"#, path)
        #expect(file.reload() == .changed(warnings: []) && book.editionNumber == 1)
        try Self.write("{\"rules\":{\n\".read\":\"auth.\"}}", path)
        guard case .failed(let failure) = file.reload() else { throw StartError("it was taken") }
        #expect(failure.description.hasPrefix("\(path):2:") && failure.description.contains("/.read: "))
        #expect(file.reload() == .unchanged && book.editionNumber == 1)
    }

    @Test func `A server does not start with rules that do not compile, and says where`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/rules"
        try Self.write(Self.text("nothing.here("), path)
        let error = await #expect(throws: StartError.self) {
            let server = try await RunningServer(RunningServer.configuration { $0.rulesFile = path })
            try await server.stop()
        }
        #expect(error?.description.hasPrefix("--rules: \(path):3:") == true, "\(String(describing: error))")
        #expect(error?.description.contains("\n") == false)
    }

    @Test func `So many databases have rules of their own, and those may change`() throws {
        let book = RuleBook()
        let ruleset = try #require(Ruleset.compile(Self.text("true")).ruleset)
        for number in 0...RuleBook.databasesMax {
            let name = try DatabaseName(project: "p", database: UTF8Text("d\(number)"))
            #expect(book.load(ruleset, for: name) == (number < RuleBook.databasesMax))
        }
        #expect(book.load(ruleset, for: try DatabaseName(project: "p", database: "d0")))
    }

    /// Each step brings rules from one source, whose texts tell them apart; expected is what two databases then have.
    @Test func `Of several sources one counts for a database: loaded, deployed for it, deployed for all, the file`()
        throws
    {
        let book = RuleBook()
        func rules(_ name: String) throws -> Ruleset {
            try #require(Ruleset.compile("// \(name)\n" + Self.text("true")).ruleset)
        }
        let (d, e) = (try DatabaseName(project: "p", database: "d"), try DatabaseName(project: "p", database: "e"))
        let (file, all, own, loaded) = (try rules("file"), try rules("all"), try rules("own"), try rules("loaded"))
        let steps: [(() -> Void, d: String?, e: String?)] = [
            ({}, nil, nil),
            ({ book.install(file) }, "file", "file"),
            ({ book.deploy(nil, [d: own]) }, "own", "file"),
            ({ book.deploy(all, [d: own]) }, "own", "all"),
            ({ book.install(file) }, "own", "all"),
            ({ book.load(loaded, for: d) }, "loaded", "all"),
            ({ book.deploy(nil, [e: own]) }, "loaded", "own"),
            ({ book.deploy(nil, [:]) }, "loaded", "file"),
        ]
        for (number, (step, expectedOfD, expectedOfE)) in steps.enumerated() {
            step()
            #expect(book.editionNumber == number)
            for (database, expected) in [(d, expectedOfD), (e, expectedOfE)] {
                let text = book.edition.ruleset(for: database)?.source.bytes
                let name = text.map {
                    String(decoding: $0.dropFirst(3).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
                }
                #expect(name == expected, "step \(number), \(database)")
            }
        }
    }

    // MARK: The emulator's endpoints

    private static let rules = "/emulator/v1/projects/p:securityRules"
    private static let named = "/emulator/v1/projects/p/databases/d:securityRules"
    private static let clear = "/emulator/v1/projects/p/databases/(default)/documents"

    private static func body(_ text: String) throws -> String {
        let object = ["rules": ["files": [["name": "security.rules", "content": text]]]]
        return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    private static func put(_ body: String, to path: String, on server: RunningServer) async throws -> (Int?, String) {
        try await self.ask(
            "PUT \(path) HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)",
            server
        )
    }

    private static func ask(_ request: String, _ server: RunningServer) async throws -> (Int?, String) {
        let answer = try await server.exchange(request)
        let status = answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (status, String(answer.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first ?? ""))
    }

    private static func get(_ database: String, on client: Client) async throws -> Bool {
        let name = try DocumentName(parsing: "projects/p/databases/\(database)/documents/c/x".utf8)
        let found = try? await client.stream {
            $0.batchGetDocuments(
                BatchGetDocumentsRequest(database: name.database, documents: [name]),
                received: $1,
                finished: $2
            )
        }
        return found?.isEmpty == false
    }

    @Test func `Test tools load rules without a token, and from then on nobody is the owner of that database`()
        async throws
    {
        let server = try await RunningServer(RunningServer.configuration { $0.emulator = true })
        var client = try await server.connect()
        #expect(try await Self.get("(default)", on: client))
        #expect(try await Self.put(try Self.body(Self.text("false")), to: Self.rules, on: server) == (200, "{}"))
        client = try await server.connect()
        #expect(try await !Self.get("(default)", on: client))
        // Another database has none, and is its users' as before.
        #expect(try await Self.get("d", on: client))
        #expect(try await Self.put(try Self.body(Self.text("false")), to: Self.named, on: server) == (200, "{}"))
        #expect(try await !Self.get("d", on: client))
        #expect(try await Self.put(try Self.body(Self.text("true")), to: Self.named, on: server) == (200, "{}"))
        #expect(try await Self.get("d", on: client))
        #expect(try await !Self.get("(default)", on: client))
        // Tools go on without a token.
        let (cleared, _) = try await Self.ask("DELETE \(Self.clear) HTTP/1.1\r\nconnection: close\r\n\r\n", server)
        #expect(cleared == 200)
        let (shown, text) = try await Self.ask("GET \(Self.named) HTTP/1.1\r\nconnection: close\r\n\r\n", server)
        #expect(shown == 200 && text.contains("allow read: if true"))
        try await server.stop()
    }

    @Test func `Rules that do not compile are refused with all that is wrong, and those of before go on`() async throws
    {
        let server = try await RunningServer(RunningServer.configuration { $0.emulator = true })
        _ = try await Self.put(try Self.body(Self.text("true")), to: Self.rules, on: server)
        let (status, text) = try await Self.put(try Self.body(Self.text("nothing.here(")), to: Self.rules, on: server)
        #expect(status == 400 && text.contains("Error compiling rules:") && text.contains("L3:"))
        let long = try Self.body(Self.text("true") + String(repeating: " ", count: RuleFileText.bytesMax))
        for body in ["", "[]", "{}", #"{"rules":{"files":[]}}"#, long] {
            #expect(try await Self.put(body, to: Self.rules, on: server).0 == 400)
        }
        let client = try await server.connect()
        #expect(try await Self.get("(default)", on: client))
        try await server.stop()
    }

    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    @Test func `Rules are compiled, and their coverage is told, beside the loop`() async throws {
        let server = try await RunningServer(RunningServer.configuration { $0.emulator = true })
        _ = try await Self.put(try Self.body(Self.text("true")), to: Self.rules, on: server)
        let (eventLoop, directory) = (server.group.any(), server.services)
        // Without a body: what is wrong with it is found out there as well.
        for (method, target, expected) in [
            ("PUT", Self.rules, 400), ("GET", Self.rules.replacing(":securityRules", with: ":ruleCoverage"), 200),
        ] {
            let (status, isAnswered) = (eventLoop.makePromise(of: Int.self), Flag())
            let isAnsweredAtOnce = try await eventLoop.submit {
                let request = HTTPRequest(method: method, target: target, caller: .administrator)
                // The loop turns to what was left for it only when this is over.
                directory.doors(on: eventLoop).router.answer(request) { answer in
                    isAnswered.value.store(true, ordering: .sequentiallyConsistent)
                    status.succeed(answer.status)
                }
                return isAnswered.value.load(ordering: .sequentiallyConsistent)
            }.get()
            #expect(try await status.futureResult.get() == expected)
            #expect(!isAnsweredAtOnce)
        }
        try await server.stop()
    }

    @Test func `Without --emulator rules are not taken from the network`() async throws {
        let server = try await RunningServer()
        #expect(try await Self.put(try Self.body(Self.text("true")), to: Self.rules, on: server).0 == 404)
        try await server.stop()
    }
}
