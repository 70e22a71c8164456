import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import BrasaTree
import BrasaTreeEngine
import BrasaTreeRules
import Synchronization
import Testing

@testable import BrasaTreeJudging

/// Rules by tree, and where they are kept.
@Suite struct ArchiveTests {
    private let one: TreeNamespace
    private let two: TreeNamespace

    init() throws {
        self.one = try #require(TreeNamespace("one"))
        self.two = try #require(TreeNamespace("two"))
    }

    private final class Box: Sendable {
        private let state = Mutex<[String]>([])
        var all: [String] { self.state.withLock { $0 } }
        func add(_ outcome: TreeRuleArchive.Outcome) {
            let text =
                switch outcome {
                case .saved: "saved"
                case .refused(let text): text
                case .tooMany: "too many"
                case .invalid, .failed: "failed"
                }
            self.state.withLock { $0.append(text) }
        }
    }

    private func put(
        _ text: String?,
        for tree: TreeNamespace,
        isDryRun: Bool = false,
        _ archive: TreeRuleArchive,
        _ server: SimulatedServer
    ) -> String {
        let box = Box()
        let bytes = text.map { Array($0.utf8) }
        archive.put(bytes, for: tree, isDryRun: isDryRun, on: server.scheduler.mailbox()) { box.add($0) }
        server.settle()
        return box.all.joined()
    }

    private func mayRead(_ tree: TreeNamespace, _ book: TreeRuleBook) -> Bool {
        book.reading(.root, of: tree, in: .absent, by: .client(.null), milliseconds: 0).isAllowed
    }

    private static let open = #"{"rules":{".read":true}}"#
    private static let closed = #"{"rules":{".read":false}}"#

    @Test(arguments: [false, true])
    func `Rules are there again after a crash, those that were not durable are not`(_ hasCheckpoint: Bool) throws {
        let disk = SimulatedDisk(seed: 1)
        let clock = SimulatedClock()
        let server = try SimulatedServer(
            seed: 1,
            disk: disk,
            clock: clock,
            store: SimulatedServer.smallStore,
            transactions: TransactionConfiguration()
        )
        let archive = TreeRuleArchive(store: server.store, transactions: server.transactions)
        #expect(self.put(Self.open, for: self.one, archive, server) == "saved")
        #expect(self.mayRead(self.one, archive.book) && !self.mayRead(self.two, archive.book))
        if hasCheckpoint { try server.store.checkpoint() }
        let box = Box()
        archive.put(Array(Self.closed.utf8), for: self.one, on: server.scheduler.mailbox()) { box.add($0) }
        // In force when they are durable, and not before.
        #expect(box.all.isEmpty && self.mayRead(self.one, archive.book))
        disk.crash()
        let next = try SimulatedServer(
            seed: 2,
            disk: disk,
            clock: clock,
            store: SimulatedServer.smallStore,
            transactions: TransactionConfiguration()
        )
        let again = TreeRuleArchive(store: next.store, transactions: next.transactions)
        #expect(!self.mayRead(self.one, again.book))
        #expect(again.load().isEmpty)
        #expect(self.mayRead(self.one, again.book) && again.text(for: self.one) == Array(Self.open.utf8))
    }

    @Test func `What is no rules is refused by its place, and a dry run changes nothing`() throws {
        let server = try SimulatedServer()
        let archive = TreeRuleArchive(store: server.store, transactions: server.transactions)
        #expect(self.put(Self.open, for: self.one, isDryRun: true, archive, server) == "saved")
        #expect(!self.mayRead(self.one, archive.book) && !archive.book.isInUse)
        #expect(self.put(Self.open, for: self.one, archive, server) == "saved")
        let wrong = self.put("{\"rules\":{\n  \".read\":\"auth.uid ==\"}}", for: self.one, archive, server)
        #expect(wrong.hasPrefix("Line 2:") && wrong.contains("/rules/.read") || wrong.contains("/.read"))
        #expect(self.mayRead(self.one, archive.book))
        #expect(self.put(nil, for: self.one, archive, server) == "saved")
        #expect(!self.mayRead(self.one, archive.book))
        #expect(archive.text(for: self.one) == TreeRules.locked.text)
    }

    @Test func `A tree has its own rules, else those for all, else none, which an emulator takes for open`() throws {
        let book = TreeRuleBook()
        let (open, closed) = (
            try TreeRules(parsing: Array(Self.open.utf8)), try TreeRules(parsing: Array(Self.closed.utf8))
        )
        let isOpen = Mutex(true)
        #expect(!self.mayRead(self.one, book))
        book.openOthers { isOpen.withLock { $0 } }
        #expect(self.mayRead(self.one, book))
        isOpen.withLock { $0 = false }
        #expect(!self.mayRead(self.one, book))
        book.install(open)
        book.install(closed, for: self.two)
        #expect(self.mayRead(self.one, book) && !self.mayRead(self.two, book))
        book.install(nil, for: self.two)
        #expect(self.mayRead(self.two, book))
    }

    @Test func `So many trees may have rules of their own, and those that have may have others`() throws {
        let server = try SimulatedServer()
        let archive = TreeRuleArchive(store: server.store, transactions: server.transactions)
        for index in 0..<TreeRuleBook.treesMax {
            let tree: TreeNamespace = try #require(TreeNamespace("t\(index)"))
            archive.book.install(.locked, for: tree)
        }
        #expect(self.put(Self.open, for: self.one, archive, server) == "too many")
        #expect(self.put(Self.open, for: try #require(TreeNamespace("t7")), archive, server) == "saved")
    }

    // MARK: Who asks

    private static let user = Caller.user(
        User(
            id: "ada",
            claims: [
                "admin": .bool(true), "sub": .text("ada"),
                "firebase": .map(["sign_in_provider": .text("custom")]),
            ]
        )
    )

    @Test(arguments: [
        ("auth === null", false), ("auth.uid === 'ada'", true), ("auth.provider === 'custom'", true),
        ("auth.token.admin === true", true), ("auth.token.firebase.sign_in_provider === 'custom'", true),
        ("auth.token.none === null", true), ("auth.token.sub === auth.uid", true),
    ])
    func `Rules see what a user's token says`(_ condition: String, _ isAllowed: Bool) throws {
        let book = TreeRuleBook()
        book.install(try TreeRules(parsing: Array("{\"rules\":{\".read\":\"\(condition)\"}}".utf8)))
        let caller = try #require(TreeIdentity(Self.user).reader(of: self.one))
        #expect(book.reading(.root, of: self.one, in: .absent, by: caller, milliseconds: 0).isAllowed == isAllowed)
    }

    @Test func `Administrators may be judged as somebody else, and nobody else may`() throws {
        let restricted = Caller.restricted(Restriction(isReadOnly: true, databases: ["one"]))
        let ada: JSONValue = ["uid": "ada"]
        let cases: [(Caller, JSONValue?, reads: TreeCaller?, writes: TreeCaller?)] = [
            (.administrator, nil, .administrator, .administrator),
            (.administrator, ada, .client(ada), .client(ada)),
            (.administrator, .null, .client(.null), .client(.null)),
            (restricted, nil, .administrator, nil),
            (restricted, ada, .client(ada), nil),
            (.nobody, nil, .client(.null), .client(.null)),
            (.nobody, ada, nil, nil),
            (Self.user, ada, nil, nil),
        ]
        for (caller, override, reads, writes) in cases {
            let identity = TreeIdentity(caller, override: override)
            #expect(identity.reader(of: self.one) == reads && identity.writer(of: self.one) == writes)
        }
        #expect(TreeIdentity(restricted).reader(of: self.two) == nil)
    }
}
