import BrasaDocuments
import BrasaGRPC
import BrasaIdentity
import BrasaMessages
import BrasaQueries
import BrasaStatus
import BrasaWire
import CBrasaAllocations
import Testing

@testable import BrasaService

/// What rules add to a call: a user's, under a rule with a function and one `get`, beside the same of an administrator.
@Suite("A judged call allocates little more", .enabled(if: brasa_allocations_are_counted()))
struct RuledCostTests {
    private static let rules = """
        function isMember() {
          return get(/databases/$(database)/documents/teams/t).data.members[request.auth.uid] == true;
        }
        match /c/{id} { allow read, write: if request.auth != null && isMember(); }
        """

    enum Kind: CaseIterable {
        case get, commit, query
    }

    private static let names = try? (0..<100).map { try name("c/\($0)") }

    private static func ruled() throws -> RuledService {
        let ruled = try RuledService(Self.rules, isInMemory: true)
        try ruled.store(
            [("teams/t", [("members", .map([.init(key: "ann", value: .boolean(true))]))])]
                + (0..<100).map { number in
                    ("c/\(number)", [("kind", .integer(Int64(number % 4))), ("number", .integer(Int64(number)))])
                }
        )
        return ruled
    }

    private static func cost(of kind: Kind, by caller: Caller, on ruled: RuledService) throws -> Double {
        ruled.caller = caller
        let (service, names) = (ruled.service, try #require(Self.names))
        let query = try Self.query()
        if kind == .query {
            _ = try service.query(query)
            try service.buildIndexes()
        }
        return try CallCostTests.cost(on: service) { number, done in
            switch kind {
            case .get:
                service.stub.getDocument(GetDocumentRequest(name: names[number % 100])) { result in
                    done((try? result.get().document) != nil)
                }
            case .commit:
                let write = try set("c/\(number % 100)", [("number", .integer(Int64(1_000 + number)))])
                service.stub.commit(CommitRequest(database: ServiceUnderTest.database, writes: [write])) { result in
                    done((try? result.get().commitTime) != nil)
                }
            case .query:
                var documents = 0
                service.stub.runQuery(query, received: { documents += $0.document == nil ? 0 : 1 }) { result in
                    done(result.status.isOK && documents == 20)
                }
            }
        }
    }

    private static func query() throws -> RunQueryRequest {
        var query = StructuredQuery(
            from: [.init(collectionID: "c", allDescendants: false)],
            filter: .field(try FieldPath(names: ["kind"]), .equal, .integer(1))
        )
        query.orderBy = [.init(field: try FieldPath(names: ["number"]), direction: .ascending)]
        query.limit = 20
        return RunQueryRequest(parent: try parent(), query: query)
    }

    /// A query's are 113, and a fraction where something grows.
    @Test(arguments: [(Kind.get, 41.0), (.commit, 55), (.query, 113.5)])
    func `Rules add no more than`(_ kind: Kind, _ bound: Double) throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let plain = try Self.cost(of: kind, by: .administrator, on: ruled)
        let judged = try Self.cost(of: kind, by: user("ann"), on: ruled)
        #expect(judged - plain <= bound, "\(kind): \(plain) and \(judged)")
    }
}
