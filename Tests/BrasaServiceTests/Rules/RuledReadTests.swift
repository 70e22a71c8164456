import BrasaDocuments
import BrasaGRPC
import BrasaIdentity
import BrasaMessages
import BrasaQueries
import BrasaRules
import BrasaSimulation
import BrasaStatus
import BrasaStore
import BrasaWire
import Testing

@testable import BrasaService

/// Users and nobody read what the rules allow, and learn nothing of the rest.
@Suite struct RuledReadTests {
    private static let rules = """
        match /users/{id} { allow get: if request.auth.uid == id; allow list: if request.auth.token.staff == true; }
        match /posts/{id} {
          allow get: if resource == null || resource.data.public || resource.data.owner == request.auth.uid;
          allow list: if resource.data.public == true && request.query.limit <= 50;
        }
        match /rooms/{room}/notes/{id} {
          allow read: if exists(/databases/$(database)/documents/rooms/$(room)/members/$(request.auth.uid));
        }
        """

    private static func ruled() throws -> RuledService {
        let ruled = try RuledService(self.rules)
        try ruled.store([
            ("users/ann", [("n", .integer(1))]), ("users/bob", []),
            ("posts/1", [("public", .boolean(true)), ("owner", .string("bob"))]),
            ("posts/2", [("public", .boolean(false)), ("owner", .string("bob"))]),
            ("rooms/r/members/ann", []), ("rooms/r/notes/1", [("n", .integer(7))]),
        ])
        return ruled
    }

    @Test(arguments: [
        (user("ann"), "users/ann", GRPCStatus.ok), (user("bob"), "users/ann", .denied),
        (.nobody, "users/ann", .denied), (.administrator, "users/ann", .ok),
        (.nobody, "posts/1", .ok), (.nobody, "posts/2", .denied), (user("bob"), "posts/2", .ok),
        (user("ann"), "rooms/r/notes/1", .ok), (user("bob"), "rooms/r/notes/1", .denied),
        // Whether a document is there is told to those alone who may get it.
        (user("ann"), "users/cid", .denied),
        (
            user("cid"), "users/cid",
            GRPCStatus(.notFound, "Document \"\(ServiceUnderTest.database.string)/documents/users/cid\" not found.")
        ),
        // What no rule is about.
        (user("ann"), "elsewhere/1", .denied),
    ])
    func `GetDocument is a get`(_ caller: Caller, _ path: String, _ status: GRPCStatus) throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        ruled.caller = caller
        #expect(try ruled.service.get(path).status == status)
    }

    @Test(arguments: [(["posts/1", "posts/3"], true), (["posts/1", "posts/2"], false), (["posts/2"], false)])
    func `BatchGetDocuments is a get of each, and answers all or nothing`(_ paths: [String], _ isAllowed: Bool) throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        ruled.caller = user("ann")
        let names = try paths.map { try name($0) }
        let request = BatchGetDocumentsRequest(database: ServiceUnderTest.database, documents: names)
        let stream: ServiceUnderTest.Stream<BatchGetDocumentsResponse> = try ruled.service.stream {
            $0.batchGetDocuments(request, received: $1, finished: $2)
        }
        #expect(stream.status == (isAllowed ? .ok : .denied))
        #expect(stream.messages.count == (isAllowed ? paths.count : 0))
    }

    @Test func `A batch of many is judged in turns, and the last document counts like the first`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        ruled.caller = user("bob")
        let open = try (0..<200).map { try name("posts/none\($0)") }
        for (last, count) in [("posts/2", 201), ("users/ann", 0)] {
            let request = BatchGetDocumentsRequest(
                database: ServiceUnderTest.database,
                documents: open + [try name(last)]
            )
            let stream: ServiceUnderTest.Stream<BatchGetDocumentsResponse> = try ruled.service.stream {
                $0.batchGetDocuments(request, received: $1, finished: $2)
            }
            #expect(stream.messages.count == count)
        }
    }

    private static func posts(_ change: (inout StructuredQuery) throws -> Void = { _ in }) throws -> StructuredQuery {
        var query = StructuredQuery(
            from: [.init(collectionID: "posts")],
            filter: .field(try FieldPath(names: ["public"]), .equal, .boolean(true))
        )
        query.limit = 50
        try change(&query)
        return query
    }

    @Test(arguments: [
        (50, true, true), (51, true, false), (nil, true, false), (50, false, false),
    ])
    func `RunQuery and RunAggregationQuery are a list that the query itself has to prove`(
        _ limit: Int32?,
        _ isFiltered: Bool,
        _ isAllowed: Bool
    ) throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let query = try Self.posts {
            $0.limit = limit
            if !isFiltered { $0.filter = nil }
        }
        ruled.caller = user("ann")
        for explain in [nil, ExplainOptions(analyze: false), ExplainOptions(analyze: true)] {
            let found = try ruled.service.query(
                RunQueryRequest(parent: try parent(), query: query, explain: explain)
            )
            #expect(found.status == (isAllowed ? .ok : .denied))
            #expect(found.messages.isEmpty == !isAllowed)
            let counted = try ruled.service.aggregate(
                RunAggregationQueryRequest(
                    parent: try parent(),
                    query: StructuredAggregationQuery(
                        query: query,
                        aggregations: [.init(.count(upTo: nil), alias: "n")]
                    ),
                    explain: explain
                )
            )
            #expect(counted.status == (isAllowed ? .ok : .denied))
        }
    }

    @Test func `ListDocuments is a list with the page's size as its limit, 30 when none is asked for`() throws {
        let ruled = try RuledService("match /c/{id} { allow list: if request.query.limit <= 30; }")
        defer { ruled.close() }
        try ruled.store((0..<40).map { ("c/\($0)", []) })
        ruled.caller = .nobody
        for (size, count) in [(Int32(0), 30), (30, 30), (31, nil)] as [(Int32, Int?)] {
            let page = try ruled.service.list(
                ListDocumentsRequest(parent: try parent(), collectionID: "c", pageSize: size)
            )
            #expect((try? page.get())?.documents.count == count)
            #expect(page.status == (count == nil ? .denied : .ok))
        }
        let missing = ListDocumentsRequest(parent: try parent(), collectionID: "c", showMissing: true)
        #expect(
            try ruled.service.list(missing).status
                == GRPCStatus(.permissionDenied, "Metadata operations require admin authentication.")
        )
    }

    @Test func `Claims of the token are asked as the rule spells them`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let request = ListDocumentsRequest(parent: try parent(), collectionID: "users")
        for (caller, isAllowed) in [(user("ann", ["staff": .bool(true)]), true), (user("ann"), false)] {
            ruled.caller = caller
            #expect(try ruled.service.list(request).status == (isAllowed ? .ok : .denied))
        }
    }

    @Test func `What no rule can allow is for administrators`() throws {
        let ruled = try RuledService("match /{document=**} { allow read, write; }")
        defer { ruled.close() }
        ruled.caller = user("ann")
        let parent = try parent()
        let query = StructuredQuery(from: [.init(collectionID: "c", allDescendants: true)])
        let partitions: ServiceUnderTest.Answer<PartitionQueryResponse> = try ruled.service.answer { stub, done in
            stub.partitionQuery(
                PartitionQueryRequest(parent: parent, query: query, partitionCount: 2),
                completion: done
            )
        }
        #expect(partitions.status?.code == .permissionDenied)
        let ids: ServiceUnderTest.Answer<ListCollectionIdsResponse> = try ruled.service.answer { stub, done in
            stub.listCollectionIds(ListCollectionIdsRequest(parent: parent), completion: done)
        }
        #expect(ids.status == GRPCStatus(.permissionDenied, "Metadata operations require admin authentication."))
        let batch: ServiceUnderTest.Answer<BatchWriteResponse> = try ruled.service.answer { stub, done in
            stub.batchWrite(BatchWriteRequest(database: ServiceUnderTest.database, writes: []), completion: done)
        }
        #expect(batch.status == GRPCStatus(.permissionDenied, "Batch writes require admin authentication."))
    }

    @Test func `A transaction that may not read ends, and keeps nobody from writing`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        ruled.caller = user("ann")
        let reads: [(ReadConsistency) throws -> GRPCStatus?] = [
            { try ruled.service.get("users/bob", $0).status },
            {
                let request = BatchGetDocumentsRequest(
                    database: ServiceUnderTest.database,
                    documents: [try name("users/bob")],
                    consistency: $0
                )
                let stream: ServiceUnderTest.Stream<BatchGetDocumentsResponse> = try ruled.service.stream {
                    $0.batchGetDocuments(request, received: $1, finished: $2)
                }
                return stream.status
            },
            {
                let query = StructuredQuery(from: [.init(collectionID: "users")])
                return try ruled.service.query(
                    RunQueryRequest(parent: try parent(), query: query, consistency: $0)
                ).status
            },
        ]
        for read in reads {
            let transaction = try ruled.service.begin()
            #expect(try ruled.service.get("users/ann", .transaction(transaction)).status == .ok)
            #expect(try read(.transaction(transaction)) == .denied)
            ruled.caller = .administrator
            #expect(try ruled.service.tryCommit([try set("users/ann"), try set("users/bob")]).status == .ok)
            ruled.caller = user("ann")
            #expect(try ruled.service.get("users/ann", .transaction(transaction)).status?.code == .aborted)
        }
    }

    @Test func `Rules count from the moment at which they are installed, for each database`() throws {
        let ruled = try RuledService(nil)
        defer { ruled.close() }
        try ruled.store([("c/x", [])])
        ruled.caller = .nobody
        #expect(try ruled.service.get("c/x").status == .denied)
        try ruled.install("match /c/{id} { allow get; }")
        #expect(try ruled.service.get("c/x").status == .ok)
        let compilation = Ruleset.compile("service cloud.firestore { match /none { allow get; } }")
        ruled.book.load(try #require(compilation.ruleset), for: ServiceUnderTest.database)
        #expect(try ruled.service.get("c/x").status == .denied)
        // It has its own.
        try ruled.install("match /c/{id} { allow get; }")
        #expect(try ruled.service.get("c/x").status == .denied)
    }

    @Test func `An emulator says which statements were tried`() throws {
        let ruled = try RuledService("match /c/{id} {\n allow get: if request.auth != null;\n}", explainsDenials: true)
        defer { ruled.close() }
        ruled.caller = .nobody
        for (path, text) in [("c/x", "\nfalse for 'get' @ L5"), ("d/x", "No matching allow statements")] {
            #expect(try ruled.service.get(path).status == GRPCStatus(.permissionDenied, text))
        }
    }
}
