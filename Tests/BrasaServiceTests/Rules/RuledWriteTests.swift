import BrasaDocuments
import BrasaGRPC
import BrasaIdentity
import BrasaMessages
import BrasaRules
import BrasaSimulation
import BrasaStatus
import BrasaTransactions
import BrasaWire
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaService

/// Users and nobody write what the rules allow, judged on the state that the commit applies to.
@Suite struct RuledWriteTests {
    private static let rules = """
        function mine() { return request.resource.data.owner == request.auth.uid; }
        match /docs/{id} {
          allow create: if mine();
          allow update: if mine() && resource.data.owner == request.auth.uid;
          allow delete: if resource == null || resource.data.owner == request.auth.uid;
          allow get: if resource.data.owner == request.auth.uid;
        }
        match /counters/{id} {
          allow write: if request.resource.data.n <= 3 && request.resource.data.at == request.time;
        }
        match /cities/{id} {
          allow write: if getAfter(/databases/$(database)/documents/countries/$(request.resource.data.country))
            .data.stamp == request.time;
        }
        match /countries/{id} { allow write; }
        """

    private static func ruled(isInMemory: Bool = false) throws -> RuledService {
        let ruled = try RuledService(self.rules, isInMemory: isInMemory)
        try ruled.store([
            ("docs/ann", [("owner", .string("ann"))]), ("docs/bob", [("owner", .string("bob"))]),
            ("countries/old", [("stamp", .timestamp(Timestamp(microseconds: 1)))]),
        ])
        ruled.caller = user("ann")
        return ruled
    }

    private static func doc(_ id: String, _ owner: String, _ precondition: Precondition? = nil) throws -> Write {
        var write = try set("docs/\(id)", [("owner", .string(UTF8Text(owner)))])
        write.precondition = precondition
        return write
    }

    private static func delete(_ id: String, _ precondition: Precondition? = nil) throws -> Write {
        Write(name: try name("docs/\(id)"), operation: .delete, precondition: precondition)
    }

    private static func verify(_ id: String, _ precondition: Precondition) throws -> Write {
        Write(name: try name("docs/\(id)"), operation: .verify, precondition: precondition)
    }

    private typealias Writes = @Sendable () throws -> [Write]

    private static let outcomes: [(String, Writes, StatusCode)] = [
        ("create", { [try doc("new", "ann")] }, .ok),
        ("create for another", { [try doc("new", "bob")] }, .permissionDenied),
        ("update", { [try doc("ann", "ann")] }, .ok),
        ("give away", { [try doc("ann", "bob")] }, .permissionDenied),
        ("take over", { [try doc("bob", "ann")] }, .permissionDenied),
        ("delete", { [try delete("ann")] }, .ok),
        ("delete nothing", { [try delete("new")] }, .ok),
        ("delete another's", { [try delete("bob")] }, .permissionDenied),
        ("one of two", { [try doc("ann", "ann"), try doc("bob", "ann")] }, .permissionDenied),
        ("verify", { [try verify("ann", .exists(true))] }, .ok),
        ("verify another's", { [try verify("bob", .exists(true))] }, .permissionDenied),
        // What a failed precondition would tell is told to those alone who may do it.
        ("create what is there", { [try doc("ann", "ann", .exists(false))] }, .alreadyExists),
        ("create what is another's", { [try doc("bob", "bob", .exists(false))] }, .permissionDenied),
        ("update what is missing", { [try doc("new", "ann", .exists(true))] }, .permissionDenied),
        (
            "update what is newer", { [try doc("ann", "ann", .updateTime(Timestamp(microseconds: 1)))] },
            .failedPrecondition
        ),
        ("delete what is missing", { [try delete("new", .exists(true))] }, .notFound),
        ("delete another's older", { [try delete("bob", .updateTime(Timestamp(microseconds: 1)))] }, .permissionDenied),
    ]

    @Test(arguments: outcomes)
    func `A commit is judged write by write, and happens whole or not at all`(
        _ text: String,
        _ writes: @Sendable () throws -> [Write],
        _ code: StatusCode
    ) throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let before = try ["ann", "bob", "new"].map { try ruled.stored("docs/\($0)") }
        let status = try #require(try ruled.service.tryCommit(try writes()).status)
        #expect(status.code == code, "\(text): \(status)")
        if code == .permissionDenied { #expect(status == .denied) }
        if code != .ok { #expect(try ["ann", "bob", "new"].map { try ruled.stored("docs/\($0)") } == before) }
        // The same in a transaction, which a denial ends.
        ruled.caller = .administrator
        try ruled.store([("docs/ann", [("owner", .string("ann"))]), ("docs/bob", [("owner", .string("bob"))])])
        try ruled.service.commit([try Self.delete("new")])
        ruled.caller = user("ann")
        let transaction = try ruled.service.begin()
        let request = CommitRequest(
            database: ServiceUnderTest.database,
            writes: try writes(),
            transaction: transaction
        )
        let answer: ServiceUnderTest.Answer<CommitResponse> = try ruled.service.answer {
            $0.commit(request, completion: $1)
        }
        #expect(answer.status?.code == code, "\(text)")
        #expect(ruled.service.engine.transactions.statistics.openTransactions == 0)
    }

    @Test func `The methods for one document are commits of one write`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        for (owner, isAllowed) in [("ann", true), ("bob", false)] {
            let fields = fields([("owner", .string(UTF8Text(owner)))])
            let parent = try parent()
            let update = UpdateDocumentRequest(write: try Self.doc("ann", owner))
            let created: ServiceUnderTest.Answer<NamedDocument> = try ruled.service.answer {
                $0.createDocument(
                    CreateDocumentRequest(parent: parent, collectionID: "docs", fields: fields),
                    completion: $1
                )
            }
            let updated: ServiceUnderTest.Answer<NamedDocument> = try ruled.service.answer {
                $0.updateDocument(update, completion: $1)
            }
            let name = try name("docs/\(owner)")
            let deleted: ServiceUnderTest.Answer<EmptyResponse> = try ruled.service.answer {
                $0.deleteDocument(DeleteDocumentRequest(name: name), completion: $1)
            }
            for status in [created.status, updated.status, deleted.status] {
                #expect(status == (isAllowed ? .ok : .denied))
            }
            if isAllowed { #expect(try updated.get().document?.fields == fields) }
        }
        #expect(try ruled.stored("docs/bob") != nil && ruled.stored("docs/ann") == nil)
    }

    @Test func `A rule sees what transforms make, and server timestamps are the time that it sees`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let write = Write(
            name: try name("counters/c"),
            operation: .merge(.empty, mask: []),
            transforms: [
                FieldTransform(path: try FieldPath(names: ["n"]), operation: .increment(.integer(1))),
                FieldTransform(path: try FieldPath(names: ["at"]), operation: .requestTime),
            ]
        )
        for _ in 0..<3 { try ruled.service.commit([write]) }
        #expect(try ruled.service.tryCommit([write]).status == .denied)
        #expect(try ruled.stored("counters/c")?.fields.value(at: FieldPath(names: ["n"])) == .integer(3))
    }

    @Test func `Documents that have to change together do`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let city = try set("cities/c", [("country", .string("old"))])
        let stamp = Write(
            name: try name("countries/old"),
            operation: .merge(.empty, mask: []),
            transforms: [FieldTransform(path: try FieldPath(names: ["stamp"]), operation: .requestTime)]
        )
        for (writes, isAllowed) in [([city], false), ([city, stamp], true), ([stamp, city], true), ([city], false)] {
            #expect(try ruled.service.tryCommit(writes).status == (isAllowed ? .ok : .denied))
        }
    }

    @Test func `Who may write nothing may still begin, roll back and commit nothing`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        ruled.caller = .nobody
        #expect(try ruled.service.tryCommit([]).status == .ok)
        let transaction = try ruled.service.begin()
        let rolledBack: ServiceUnderTest.Answer<EmptyResponse> = try ruled.service.answer {
            $0.rollback(
                RollbackRequest(database: ServiceUnderTest.database, transaction: transaction),
                completion: $1
            )
        }
        #expect(rolledBack.status == .ok)
    }

    @Test func `A commit of many documents is judged in turns, and the last one counts like the first`() throws {
        let ruled = try Self.ruled(isInMemory: true)
        defer { ruled.close() }
        let many = try (0..<100).map { try Self.doc("new\($0)", "ann") }
        #expect(try ruled.service.tryCommit(many + [try Self.doc("last", "bob")]).status == .denied)
        #expect(try ruled.stored("docs/new0") == nil)
        let status = try ruled.service.tryCommit(many).status
        #expect(status == .ok)
        #expect(try ruled.stored("docs/new99") != nil)
    }

    @Test func `A batch of a Write stream is judged by the rules of its moment, and a denial ends the stream`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let writing = Writing(ruled.service)
        try writing.shakeHands()
        writing.send([try Self.doc("one", "ann")], token: writing.responses[0].streamToken)
        writing.send([try Self.doc("two", "ann")], token: writing.responses[0].streamToken)
        try ruled.service.run()
        #expect(writing.times.count == 2)
        try ruled.install("match /docs/{id} { allow create: if id != 'three'; }")
        writing.send([try Self.doc("three", "ann")], token: writing.responses[0].streamToken)
        writing.send([try Self.doc("four", "ann")], token: writing.responses[0].streamToken)
        try ruled.service.run()
        #expect(writing.status == .denied && writing.times.count == 2)
        #expect(try ruled.stored("docs/two") != nil && ruled.stored("docs/four") == nil)
        // The stream can be gone on with: the batch was not applied.
        let resumed = Writing(ruled.service)
        try resumed.resume(writing, after: 2)
        #expect(resumed.responses.count == 1 && resumed.status == nil)
    }

    // MARK: The state that a write is judged by

    /// More than are judged in one turn, so that others commit in between.
    private static func many(_ owner: String) throws -> [Write] { try (0..<100).map { try doc("new\($0)", owner) } }

    /// A commit whose first turn is over.
    private static func begin(
        _ writes: [Write],
        on ruled: RuledService
    ) throws -> ServiceUnderTest.Answer<CommitResponse> {
        let answer: ServiceUnderTest.Answer<CommitResponse> = try ruled.service.start {
            $0.commit(CommitRequest(database: ServiceUnderTest.database, writes: writes), completion: $1)
        }
        ruled.service.loop.run()
        try ruled.service.carryToServer()
        return answer
    }

    @Test func `What changes while a commit is judged is judged again`() throws {
        let ruled = try RuledService(
            """
            match /docs/{id} {
              allow create: if get(/databases/$(database)/documents/keys/door).data.owner == request.auth.uid;
            }
            """
        )
        defer { ruled.close() }
        try ruled.store([("keys/door", [("owner", .string("ann"))])])
        ruled.caller = user("ann")
        let answer = try Self.begin(try Self.many("ann"), on: ruled)
        // Behind the turn in which it reads the key.
        let move = [try set("keys/door", [("owner", .string("bob"))])]
        ruled.service.loop.execute { ruled.commit(move) }
        #expect(answer.status == nil)
        try ruled.service.run()
        #expect(answer.status == .denied)
        #expect(try ruled.stored("docs/new0") == nil)
    }

    @Test func `A commit that waits for a lock is judged by what it finds then`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        ruled.caller = .administrator
        let transaction = try ruled.service.begin()
        _ = try ruled.service.get("docs/ann", .transaction(transaction))
        ruled.caller = user("ann")
        let request = CommitRequest(database: ServiceUnderTest.database, writes: [try Self.doc("ann", "ann")])
        let answer: ServiceUnderTest.Answer<CommitResponse> = try ruled.service.start {
            $0.commit(request, completion: $1)
        }
        try ruled.service.run()
        #expect(answer.status == nil)
        ruled.caller = .administrator
        try ruled.service.commit([try Self.doc("ann", "bob")], transaction: transaction)
        try ruled.service.run()
        #expect(answer.status == .denied)
        #expect(try ruled.stored("docs/ann")?.fields == fields([("owner", .string("bob"))]))
    }

    @Test func `A commit that is outdated again and again ends like those that lose to others`() throws {
        let ruled = try RuledService("match /docs/{id} { allow write; }")
        defer { ruled.close() }
        ruled.caller = user("ann")
        let answer = try Self.begin(try Self.many("ann"), on: ruled)
        // One of its documents comes and changes in every turn.
        var turns = 0
        func change() {
            turns += 1
            ruled.commit((try? [set("docs/new0", [("n", .integer(Int64(turns)))])]) ?? [])
            if answer.status == nil, turns < 1_000 { ruled.service.loop.execute(change) }
        }
        change()
        try ruled.service.run()
        #expect(answer.status?.code == .aborted)
        #expect(try ruled.stored("docs/new1") == nil)
    }
}
