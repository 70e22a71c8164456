import BrasaDocuments
import BrasaGRPC
import BrasaIdentity
import BrasaMessages
import BrasaSimulation
import BrasaStatus
import BrasaStore
import BrasaTransactions
import BrasaWire
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaService

/// What judging a commit costs others, and by which rules it is judged.
@Suite struct RuledCommitTests {
    private static func ruled(_ rules: String = "match /docs/{id} { allow write; }") throws -> RuledService {
        let ruled = try RuledService(rules)
        ruled.caller = user("ann")
        return ruled
    }

    private static func writes(_ count: Int, in collection: String = "docs") throws -> [Write] {
        try (0..<count).map { try set("\(collection)/\($0)") }
    }

    @Test func `Writes that no statement is about are denied before anything is worked out`() throws {
        let ruled = try Self.ruled("match /docs/{id} { allow write; } match /seen/{id} { allow read; }")
        defer { ruled.close() }
        #expect(try ruled.service.tryCommit(try Self.writes(500)).status == .ok)
        let tooMany = GRPCStatus(.invalidArgument, "maximum 500 writes allowed per request")
        #expect(try ruled.service.tryCommit(try Self.writes(501)).status == tooMany)
        for collection in ["others", "seen"] {
            let writes = try Self.writes(500) + Self.writes(1, in: collection)
            #expect(try ruled.service.tryCommit(writes).status == .denied)
        }
        // One is verified, which is a get.
        let verified = Write(name: try name("seen/0"), operation: .verify, precondition: .exists(false))
        #expect(try ruled.service.tryCommit(try Self.writes(2) + [verified]).status == .ok)
    }

    @Test func `Many documents are judged in turns`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let request = CommitRequest(database: ServiceUnderTest.database, writes: try Self.writes(300))
        let answer: ServiceUnderTest.Answer<CommitResponse> = try ruled.service.start {
            $0.commit(request, completion: $1)
        }
        ruled.service.loop.run()
        let before = ruled.service.engine.store.appliedTime
        try ruled.service.carryToServer()
        var turns = 0
        func turn() {
            guard ruled.service.engine.store.appliedTime == before, turns < 1_000 else { return }
            turns += 1
            ruled.service.loop.execute(turn)
        }
        turn()
        ruled.service.loop.run()
        // To find statements about them, and to judge them.
        #expect(turns >= 300 / 64 + 2)
        try ruled.service.run()
        #expect(answer.status == .ok)
    }

    @Test func `A commit of a transaction that is given up while it is judged ends that`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let transaction = try ruled.service.begin()
        let request = CommitRequest(
            database: ServiceUnderTest.database,
            writes: try Self.writes(300),
            transaction: transaction
        )
        let answer: ServiceUnderTest.Answer<CommitResponse> = try ruled.service.start {
            $0.commit(request, completion: $1)
        }
        ruled.service.loop.run()
        try ruled.service.carryToServer()
        answer.call?.cancel()
        try ruled.service.runArriving()
        #expect(ruled.service.engine.transactions.statistics.openTransactions == 0)
        #expect(try ruled.stored("docs/0") == nil)
    }

    @Test func `Rules that come while a commit waits or is judged decide about it`() throws {
        for waits in [true, false] {
            let ruled = try Self.ruled()
            defer { ruled.close() }
            ruled.caller = .administrator
            let holder = try ruled.service.begin()
            if waits { _ = try ruled.service.get("docs/0", .transaction(holder)) }
            ruled.caller = user("ann")
            let request = CommitRequest(
                database: ServiceUnderTest.database,
                writes: try Self.writes(waits ? 1 : 300)
            )
            let answer: ServiceUnderTest.Answer<CommitResponse> = try ruled.service.start {
                $0.commit(request, completion: $1)
            }
            ruled.service.loop.run()
            try ruled.service.carryToServer()
            if waits { try ruled.service.run() }
            #expect(answer.status == nil)
            try ruled.install("match /docs/{id} { allow read; }")
            try ruled.service.advance(microseconds: 2_000_000)
            ruled.caller = .administrator
            if waits {
                let rolledBack: ServiceUnderTest.Answer<EmptyResponse> = try ruled.service.answer {
                    $0.rollback(
                        RollbackRequest(database: ServiceUnderTest.database, transaction: holder),
                        completion: $1
                    )
                }
                #expect(rolledBack.status == .ok)
            }
            try ruled.service.run()
            #expect(answer.status == .denied)
            #expect(try ruled.stored("docs/0") == nil)
        }
    }
}
