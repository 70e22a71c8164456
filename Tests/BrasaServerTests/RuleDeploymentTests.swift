import BrasaDocuments
import BrasaMessages
import BrasaPlatform
import BrasaRules
import BrasaService
import BrasaSimulation
import BrasaWire
import Foundation
import Logging
import Testing

@testable import BrasaServer

/// What `brasa rules` keeps in a data folder, and what a server makes of it.
@Suite struct RuleDeploymentTests {
    private static func rules(_ name: String, _ condition: String = "true") throws -> Ruleset {
        let text = """
            // \(name)
            rules_version = '2';
            service cloud.firestore { match /databases/{database}/documents {
              match /c/{id} { allow read: if \(condition); }
            } }
            """
        return try #require(Ruleset.compile(text).ruleset)
    }

    private static func database(_ id: String?) throws -> DatabaseName? {
        try id.map { try DatabaseName(project: "p", database: UTF8Text($0)) }
    }

    private let disk = SimulatedDisk(seed: 1)
    private let clock = SimulatedClock()
    private var store: RuleDeploymentStore { RuleDeploymentStore(disk: self.disk, dataDirectory: "data") }

    @discardableResult
    private func deploy(_ name: String, for id: String? = nil, on store: RuleDeploymentStore? = nil) throws
        -> RuleDeployment
    {
        self.clock.advance(microseconds: 1_000_000)
        return try (store ?? self.store).deploy(
            try Self.rules(name),
            for: try Self.database(id),
            by: "ann",
            clock: self.clock.clock
        )
    }

    private func name(_ id: String?, _ number: Int? = nil) throws -> String {
        let text = String(decoding: try self.store.text(of: try Self.database(id), number), as: UTF8.self)
        return String(text.dropFirst(3).prefix { $0 != "\n" })
    }

    @Test func `A folder without rules has none, and reading makes no file`() throws {
        #expect(try self.store.read().all.isEmpty)
        #expect(throws: RuleDeploymentError.none(nil)) { try self.store.text(of: nil, nil) }
        #expect(self.disk.paths.isEmpty)
    }

    @Test func `What was deployed is there after a crash, with who and when`() throws {
        let before = self.clock.clock.wall()
        try self.deploy("one")
        try self.deploy("two", for: "d")
        try self.deploy("three")
        self.disk.crash()
        let all = try self.store.read().all
        #expect(all.map(\.number) == [1, 2, 3])
        #expect(all.map(\.author) == ["ann", "ann", "ann"])
        #expect(all.map { $0.database?.database } == [nil, "d", nil])
        #expect(all.allSatisfy { $0.time > before } && all[0].time < all[1].time)
        #expect(try self.name(nil) == "three")
        #expect(try self.name(nil, 1) == "one")
        #expect(try self.name("d") == "two")
        #expect(throws: RuleDeploymentError.notFound(1, try Self.database("d"))) { try self.name("d", 1) }
    }

    @Test func `Rules are brought back by number, or those before the present ones, and taken away`() throws {
        for name in ["one", "two", "two"] { try self.deploy(name) }
        let steps: [((RuleDeploymentStore) throws -> RuleDeployment, name: String?, restored: Int?)] = [
            ({ try $0.rollBack(nil, to: nil, by: "", clock: .system) }, "one", 1),
            ({ try $0.rollBack(nil, to: nil, by: "", clock: .system) }, "two", 3),
            ({ try $0.rollBack(nil, to: 1, by: "", clock: .system) }, "one", 1),
            ({ try $0.remove(nil, by: "", clock: .system) }, nil, nil),
            ({ try $0.rollBack(nil, to: nil, by: "", clock: .system) }, "one", 6),
        ]
        for (number, (step, name, restored)) in steps.enumerated() {
            let deployment = try step(self.store)
            #expect(deployment.number == number + 4 && deployment.restored == restored)
            if let name {
                #expect(try self.name(nil) == name)
            } else {
                #expect(throws: RuleDeploymentError.removed(number + 4)) { try self.name(nil) }
            }
        }
        #expect(throws: RuleDeploymentError.notFound(9, nil)) {
            try self.store.rollBack(nil, to: 9, by: "", clock: .system)
        }
        let other = try Self.database("d")
        #expect(throws: RuleDeploymentError.none(other)) {
            try self.store.rollBack(other, to: nil, by: "", clock: .system)
        }
        #expect(throws: RuleDeploymentError.none(other)) { try self.store.remove(other, by: "", clock: .system) }
    }

    @Test func `So much history is kept of each database, and no text that nothing names`() throws {
        try self.deploy("kept", for: "d")
        for number in 1...RuleDeployments.historyMax + 5 { try self.deploy("number \(number)") }
        let history = try self.store.read().history(of: nil)
        #expect(history.map(\.number) == Array(7...RuleDeployments.historyMax + 6))
        #expect(try self.name(nil, 7) == "number 6")
        #expect(try self.name("d") == "kept")
        let texts = try self.disk.list("data/rules").filter { $0.hasSuffix(".rules") }
        #expect(texts.count == RuleDeployments.historyMax + 1)
    }

    @Test func `So many databases have rules of their own, and who deploys is one short line`() throws {
        let ruleset = try Self.rules("one")
        var deployments = RuleDeployments()
        for number in 0...RuleDeployments.databasesMax {
            let added = deployments.add(
                ruleset.source.digest,
                for: try Self.database("d\(number)"),
                at: self.clock.clock.wall(),
                by: "a\nb" + String(repeating: "é", count: 100)
            )
            #expect((added != nil) == (number < RuleDeployments.databasesMax))
        }
        #expect(deployments.all[0].author.hasPrefix("ab") && deployments.all[0].author.utf8.count <= 100)
        #expect(RuleDeployments(parsing: deployments.json) == deployments)
    }

    static let damages: [(String, String)] = [
        ("nothing", ""), ("no JSON", "{"), ("a later version", #"{"version":2,"deployments":[]}"#),
        ("a database that is none", entry(#""database":"p/d""#)),
        ("a digest that is a path", entry(#""digest":"../x""#)),
        ("a number twice", #"{"version":1,"deployments":[\#(one("")),\#(one(""))]}"#),
    ]

    private static func one(_ more: String) -> String {
        #"{"number":1,"time":1,"author":""\#(more.isEmpty ? "" : ",")\#(more)}"#
    }

    private static func entry(_ more: String) -> String { #"{"version":1,"deployments":[\#(one(more))]}"# }

    @Test(arguments: damages)
    func `A damaged list ends commands, and leaves a server its rules of before`(_ what: String, _ text: String) throws
    {
        try self.deploy("one")
        let book = RuleBook()
        let deployed = DeployedRules(self.store, book: book)
        #expect(deployed.reload() == .changed(warnings: []))
        self.disk.place(Array(text.utf8), at: "data/rules/deployments.json")
        let path = "data/rules/deployments.json"
        #expect(throws: RuleDeploymentError.damaged(path: path), "\(what)") { try self.deploy("two") }
        #expect(deployed.reload() == .failed(.init(description: "\(path) is damaged")))
        // Told once.
        #expect(deployed.reload() == .unchanged)
        #expect(book.editionNumber == 1)
    }

    @Test func `A list that has gone leaves a server its rules of before, and stops the next start`() throws {
        try self.deploy("one")
        let (path, book) = ("data/rules/deployments.json", RuleBook())
        let deployed = DeployedRules(self.store, book: book)
        #expect(deployed.reload() == .changed(warnings: []))
        try self.disk.remove(path)
        #expect(deployed.reload() == .failed(.init(description: "\(path) is damaged")))
        #expect(
            DeployedRules(self.store, book: RuleBook()).reload() == .failed(.init(description: "\(path) is damaged"))
        )
        for name in try self.disk.list("data/rules") { try self.disk.remove("data/rules/\(name)") }
        #expect(deployed.reload() == .failed(.init(description: "the list of deployments has gone")))
        #expect(book.editionNumber == 1)
    }

    @Test func `What others have put into the folder stays`() throws {
        self.disk.place([1], at: "data/rules/mine.rules")
        try self.deploy("one")
        try self.deploy("two")
        #expect(self.disk.bytes("data/rules/mine.rules") == [1])
    }

    @Test func `A server takes up what was deployed, all of it or nothing`() throws {
        let book = RuleBook()
        let deployed = DeployedRules(self.store, book: book)
        let (d, e) = (try #require(try Self.database("d")), try #require(try Self.database("e")))
        #expect(deployed.reload() == .unchanged)
        #expect(!book.isInUse)
        try self.deploy("own", for: "d")
        #expect(deployed.reload() == .changed(warnings: []))
        #expect(book.edition.ruleset(for: d) != nil && book.edition.ruleset(for: e) == nil)
        #expect(deployed.reload() == .unchanged)
        // A text that is not what the list says.
        let first = try #require(try self.disk.list("data/rules").first { $0.hasSuffix(".rules") })
        let text = try #require(self.disk.bytes("data/rules/\(first)"))
        try self.deploy("all")
        let other = try #require(try self.disk.list("data/rules").first { $0.hasSuffix(".rules") && $0 != first })
        let good = try #require(self.disk.bytes("data/rules/\(other)"))
        self.disk.place(text, at: "data/rules/\(other)")
        #expect(deployed.reload() == .failed(.init(description: "data/rules/\(other) is damaged")))
        #expect(book.edition.ruleset(for: e) == nil)
        self.disk.place(good, at: "data/rules/\(other)")
        #expect(deployed.reload() == .changed(warnings: []))
        #expect(book.edition.ruleset(for: e) != nil)
        _ = try self.store.remove(d, by: "", clock: .system)
        _ = try self.store.remove(nil, by: "", clock: .system)
        #expect(deployed.reload() == .changed(warnings: []))
        // Without rules users may do nothing; a server that has had some is not open.
        #expect(book.edition.ruleset(for: d) == nil && book.isInUse)
    }

    @Test func `A warning is told once, with its place`() throws {
        let deployed = DeployedRules(self.store, book: RuleBook())
        let ruleset = try Self.rules("one", "tru")
        for database in [nil, try Self.database("d")] {
            _ = try self.store.deploy(ruleset, for: database, by: "", clock: .system)
            guard case .changed(let warnings) = deployed.reload() else {
                Issue.record("not taken up")
                continue
            }
            #expect(warnings.count == (database == nil ? 1 : 0))
            #expect(warnings.allSatisfy { $0.contains(".rules:4:34: warning: ") }, "\(warnings)")
        }
    }

    /// Power is lost while a deployment is made, by disks that keep different things of what was not synced.
    @Test func `A deployment that a crash interrupts is there whole or not at all`() throws {
        for seed in 0..<40 as Range<UInt64> {
            let disk = SimulatedDisk(seed: seed)
            let store = RuleDeploymentStore(disk: disk, dataDirectory: "data")
            try self.deploy("one", on: store)
            for failing in [true, false] {
                if failing { disk.faults.failedSyncs = 500 } else { disk.faults.failedWrites = 500 }
                let isDone = (try? self.deploy("seed \(seed)", on: store)) != nil
                disk.crash()
                disk.faults = SimulatedFaults()
                let deployments = try store.read()
                if isDone { #expect(deployments.all.count > 1) }
                for digest in deployments.all.compactMap(\.digest) { #expect(try store.text(digest).count > 0) }
            }
        }
    }

    @Test func `A list tells numbers, times, authors and databases in columns`() throws {
        try self.deploy("one")
        try self.deploy("two", for: "d")
        _ = try self.store.rollBack(nil, to: 1, by: "bob", clock: self.clock.clock)
        let lines = RuleDeploymentTable.lines(try self.store.read().all)
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("NUMBER  TIME"))
        #expect(lines[2].hasSuffix("projects/p/databases/d"))
        #expect(lines[3].contains("bob") && lines[3].contains(", as in 1") && lines[3].hasSuffix("all others"))
    }

    @Test func `A server judges by what was deployed before it began, and by what is deployed meanwhile`() async throws
    {
        let folder = try TemporaryFolder()
        let configuration = RunningServer.configuration {
            $0.emulator = true
            $0.dataDirectory = folder.path
        }
        let store = RuleDeploymentStore(disk: RealDisk(), dataDirectory: folder.path)
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        _ = try store.deploy(try Self.rules("one", "false"), for: nil, by: "", clock: .system)
        let server = try await RunningServer(configuration, logger: logger)
        let client = try await server.connect()
        #expect(try await !Self.mayRead(client))
        _ = try store.deploy(try Self.rules("two"), for: nil, by: "", clock: .system)
        server.rules.reload(logger)
        #expect(try await Self.mayRead(client))
        try await server.stop()
    }

    @Test func `A server does not start with a damaged list`() async throws {
        let folder = try TemporaryFolder()
        let store = RuleDeploymentStore(disk: RealDisk(), dataDirectory: folder.path)
        _ = try store.deploy(try Self.rules("one"), for: nil, by: "", clock: .system)
        let path = folder.path + "/rules/deployments.json"
        try Data("{".utf8).write(to: URL(filePath: path))
        let error = await #expect(throws: StartError.self) {
            let server = try await RunningServer(RunningServer.configuration { $0.dataDirectory = folder.path })
            try await server.stop()
        }
        #expect(error?.description == "brasa rules: \(path) is damaged")
    }

    private static func mayRead(_ client: Client) async throws -> Bool {
        let name = try DocumentName(parsing: "projects/p/databases/(default)/documents/c/x".utf8)
        let found = try? await client.stream {
            $0.batchGetDocuments(
                BatchGetDocumentsRequest(database: name.database, documents: [name]),
                received: $1,
                finished: $2
            )
        }
        return found?.isEmpty == false
    }
}
