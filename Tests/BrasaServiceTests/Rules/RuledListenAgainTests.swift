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
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaService
@testable import BrasaWatch

/// Targets are decided about again when that may come to something else.
@Suite struct RuledListenAgainTests {
    private static let denied = "permissionDenied: Missing or insufficient permissions."

    private static func c(_ id: String, _ n: Int64) throws -> (String, [(String, Value)]) {
        ("c/\(id)", [("n", .integer(n))])
    }

    private static func ruled(_ rules: String) throws -> RuledService {
        let ruled = try RuledService(rules)
        try ruled.store([try Self.c("a", 1), ("members/ann", [])])
        ruled.caller = user("ann")
        return ruled
    }

    private static func removeMember(_ ruled: RuledService) throws {
        ruled.caller = .administrator
        defer { ruled.caller = user("ann") }
        try ruled.service.commit([Write(name: try name("members/ann"), operation: .delete)])
    }

    @Test func `All targets are judged again in as many turns of the loop, and others have theirs in between`() throws {
        let ruled = try Self.ruled("match /c/{id} { allow read; }")
        defer { ruled.close() }
        let listening = Listening(ruled.service)
        let count = 40
        for id in 1...Int32(count) { listening.add(try .documents(id, "c/a")) }
        // More than are judged in one turn.
        listening.add(ListenTarget(id: Int32(count) + 1, .documents(try (0..<150).map { try name("c/none\($0)") })))
        _ = try listening.take()
        let service = ruled.service.service
        for (rules, removed) in [("match /c/{id} { allow get; }", 0), ("match /d/{id} { allow get; }", count + 1)] {
            try ruled.install(rules)
            service.judgeListeners()
            var turns = 0
            func turn() {
                guard service.listeners.isJudging else { return }
                turns += 1
                ruled.service.loop.execute(turn)
            }
            turn()
            let lines = try listening.take()
            #expect(turns >= count)
            #expect(lines.filter { $0.hasSuffix(Self.denied) }.count == removed)
        }
    }

    @Test func `New rules that come while targets are judged again judge all of them`() throws {
        let ruled = try Self.ruled("match /c/{id} { allow read; }")
        defer { ruled.close() }
        let listening = Listening(ruled.service)
        for id in 1...Int32(9) { listening.add(try .documents(id, "c/a")) }
        _ = try listening.take()
        try ruled.install("match /c/{id} { allow get; }")
        ruled.service.service.judgeListeners()
        #expect(ruled.service.service.listeners.isJudging)
        try ruled.install("match /d/{id} { allow get; }")
        ruled.service.service.judgeListeners()
        #expect(try listening.take().filter { $0.hasSuffix(Self.denied) }.count == 9)
        #expect(!ruled.service.service.listeners.isJudging)
    }

    @Test func `A query of one document is judged by the version that it is about to be shown`() throws {
        let ruled = try Self.ruled("match /c/{id} { allow list: if resource.data.n > 0; }")
        defer { ruled.close() }
        let service = ruled.service.service
        let database = service.store.database(ServiceUnderTest.database)
        let path = try name("c/a").path
        let key = FieldPath.documentName
        let structured = StructuredQuery(
            from: [.init(collectionID: "c")],
            filter: .field(key, .equal, .reference(try name("c/a")))
        )
        let demand = RuleDemand.query(structured, try Query(structured, parent: try parent()))
        for (number, isShown) in [(Int64(5), true), (-1, false)] {
            let judge = ListenJudge(user("ann"), in: database, on: service)
            var decision = try #require(judge.decision(about: demand))
            guard case .allowed = decision.turn(on: service.eventLoop) else {
                Issue.record("it is allowed as it is stored")
                return
            }
            judge.expect(ListenJudge.Target(id: 1, decision))
            _ = judge.verdict(on: .targetAdded(1))
            let time = service.store.strongReadTime()
            let version = Document(fields: fields([("n", .integer(number))]), createTime: time, updateTime: time)
            let news = WatchedDocument(path: path, document: version)
            let verdict = judge.verdict(on: .documentChanged(news, targets: [1], removed: []))
            #expect((verdict.event != nil) == isShown)
            #expect(verdict.ended.map { $0.id } == (isShown ? [] : [1]))
        }
    }

    @Test func `A rule that begins to look at documents as time passes is asked about them from then on`() throws {
        let ruled = try Self.ruled("match /none/{id} { allow read; }")
        defer { ruled.close() }
        let limit = ruled.service.engine.store.strongReadTime().microseconds / 1_000 + 30_000
        try ruled.install(
            """
            match /c/{id} {
              allow list: if request.time.toMillis() < \(limit)
                || exists(/databases/$(database)/documents/members/$(request.auth.uid));
            }
            """
        )
        let listening = Listening(ruled.service)
        listening.add(try .collection(1))
        _ = try listening.take()
        for _ in 0..<61 {
            try ruled.service.advance(microseconds: 1_000_000)
            ruled.service.service.judgeListeners()
            try ruled.service.run()
        }
        #expect(try listening.take().contains { $0.hasPrefix("REMOVE") } == false)
        try Self.removeMember(ruled)
        try ruled.service.advance(microseconds: 2_000)
        try ruled.store([try Self.c("b", 5)])
        #expect(try listening.take().contains("REMOVE 1 \(Self.denied)"))
        #expect(listening.documents.keys.contains(try name("c/b")) == false)
    }

    @Test func `New rules count for the next news`() throws {
        let ruled = try Self.ruled("match /c/{id} { allow list; }")
        defer { ruled.close() }
        let listening = Listening(ruled.service)
        listening.add(try .collection(1))
        _ = try listening.take()
        try ruled.install("match /c/{id} { allow get; }")
        try ruled.store([try Self.c("b", 5)])
        #expect(try listening.take().first == "REMOVE 1 \(Self.denied)")
    }

    @Test func `A judged target is resumed like anybody's, by who may still see it`() throws {
        let ruled = try Self.ruled(
            """
            match /c/{id} {
              allow list: if exists(/databases/$(database)/documents/members/$(request.auth.uid));
            }
            """
        )
        defer { ruled.close() }
        let first = Listening(ruled.service)
        first.add(try .collection(1))
        _ = try first.take()
        first.call?.cancel()
        try ruled.service.run()
        try ruled.store([try Self.c("b", 5)])
        func resumed(_ caller: Caller) throws -> [String] {
            ruled.caller = caller
            let again = Listening(ruled.service)
            again.add(try .collection(1, resume: .token(first.token), expectedCount: 9))
            return try again.take()
        }
        let lines = try resumed(.administrator)
        #expect(lines.contains("FILTER 1 2"))
        #expect(try resumed(user("ann")) == lines)
        try Self.removeMember(ruled)
        #expect(try resumed(user("ann")) == ["ADD 1", "REMOVE 1 \(Self.denied)"])
    }
}
