import BrasaDocuments
import BrasaGRPC
import BrasaIdentity
import BrasaLog
import BrasaMessages
import BrasaRules
import BrasaSimulation
import BrasaStatus
import BrasaStore
import BrasaTransactions
import BrasaWire
import Synchronization
import Testing

@testable import BrasaService

/// A service with rules, and who calls it: whoever `caller` is when a call begins.
final class RuledService {
    private final class Current: Sendable {
        let caller = Mutex(Caller.administrator)
    }

    let service: ServiceUnderTest
    let book: RuleBook
    private let current = Current()

    var caller: Caller {
        get { self.current.caller.withLock { $0 } }
        set { self.current.caller.withLock { $0 = newValue } }
    }

    /// - Parameter rules: what stands in the block of all documents; nil: there are none.
    init(_ rules: String?, explainsDenials: Bool = false, isInMemory: Bool = false) throws {
        let current = self.current
        var store = SimulatedServer.smallStore
        // The simulated disk's own allocations are none of a call's.
        if isInMemory { store.log.durability = .memory }
        self.book = RuleBook(explainsDenials: explainsDenials)
        self.service = try ServiceUnderTest(
            store: store,
            reception: .credentials { _, _ in .caller(current.caller.withLock { $0 }) },
            rules: self.book
        )
        if let rules { try self.install(rules) }
    }

    func install(_ rules: String) throws {
        let compilation = Ruleset.compile(
            """
            rules_version = '2';
            service cloud.firestore {
              match /databases/{database}/documents {
                \(rules)
              }
            }
            """
        )
        self.book.install(try #require(compilation.ruleset, "\(compilation.diagnostics)"))
    }

    /// Writes documents as the administrator.
    func store(_ documents: [(String, [(String, Value)])]) throws {
        let caller = self.caller
        defer { self.caller = caller }
        self.caller = .administrator
        try self.service.commit(try documents.map { try set($0.0, $0.1) })
    }

    /// Commits without a call.
    func commit(_ writes: [Write]) {
        let transactions = self.service.engine.transactions
        transactions.commit(
            database: self.service.engine.store.database(ServiceUnderTest.database),
            transaction: nil,
            writes: writes,
            reply: self.service.service.reply { _ in }
        )
    }

    /// What the administrator finds.
    func stored(_ path: String) throws -> Document? {
        let caller = self.caller
        defer { self.caller = caller }
        self.caller = .administrator
        return try? self.service.get(path).get().document
    }

    func close() { self.service.close() }
}

func user(_ id: String, _ claims: [ClaimName: Claim] = [:]) -> Caller { .user(User(id: id, claims: claims)) }

extension GRPCStatus {
    static let denied = GRPCStatus(.permissionDenied, "Missing or insufficient permissions.")
}
