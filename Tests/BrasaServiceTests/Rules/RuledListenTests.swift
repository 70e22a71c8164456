import BrasaDocuments
import BrasaGRPC
import BrasaIdentity
import BrasaMessages
import BrasaQueries
import BrasaRules
import BrasaStatus
import BrasaWire
import Testing

@testable import BrasaService

/// A listener is told what its caller may read, for as long as they may.
@Suite struct RuledListenTests {
    private static let denied = "permissionDenied: Missing or insufficient permissions."

    private static let rules = """
        match /c/{id} {
          allow get: if resource == null || resource.data.n > 0;
          allow list: if resource.data.n > 0 && exists(/databases/$(database)/documents/members/$(request.auth.uid));
        }
        """

    private static func ruled() throws -> RuledService {
        let ruled = try RuledService(self.rules)
        try ruled.store([("c/a", [("n", .integer(1))]), ("c/z", [("n", .integer(0))]), ("members/ann", [])])
        ruled.caller = user("ann")
        return ruled
    }

    private static func c(_ id: String, _ n: Int64) throws -> (String, [(String, Value)]) {
        ("c/\(id)", [("n", .integer(n))])
    }

    @Test func `A target that is allowed is like anybody's`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let listening = Listening(ruled.service)
        listening.add(try .collection(1, filtered: true))
        #expect(try listening.take() == ["ADD 1", "c/a +1", "CURRENT 1", "SNAPSHOT"])
        try ruled.store([try Self.c("b", 5)])
        #expect(try listening.take() == ["c/b +1", "SNAPSHOT"])
        listening.remove(1)
        #expect(try listening.take() == ["REMOVE 1"])
    }

    @Test func `A target that is denied ends alone`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let listening = Listening(ruled.service)
        // Proves nothing; names a document that may not be got; names none that is told of.
        listening.add(try .collection(1))
        listening.add(try .documents(2, "c/a", "c/z"))
        listening.add(try .documents(3, "elsewhere/x"))
        listening.add(try .documents(4, "c/a"))
        #expect(
            try listening.take() == [
                "ADD 1", "REMOVE 1 \(Self.denied)", "ADD 2", "REMOVE 2 \(Self.denied)", "ADD 3",
                "REMOVE 3 \(Self.denied)", "ADD 4", "c/a +4", "CURRENT 4", "SNAPSHOT",
            ]
        )
        ruled.caller = user("bob")
        let other = Listening(ruled.service)
        other.add(try .collection(1, filtered: true))
        #expect(try other.take() == ["ADD 1", "REMOVE 1 \(Self.denied)"])
        #expect(listening.status == nil && other.status == nil)
    }

    @Test func `A target that the watcher refuses leaves the one of its id alone`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let listening = Listening(ruled.service)
        listening.add(try .documents(1, "c/a"))
        _ = try listening.take()
        listening.add(try .documents(1, "c/none"))
        #expect(try listening.take() == ["REMOVE 1 alreadyExists: Target ID already exists: 1"])
        try ruled.store([try Self.c("a", 3)])
        #expect(try listening.take() == ["c/a +1", "SNAPSHOT"])
        try ruled.store([try Self.c("a", -3)])
        #expect(try listening.take().first == "REMOVE 1 \(Self.denied)")
    }

    @Test func `A document that may not be got any more ends its target, unseen`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        ruled.caller = .administrator
        let administrator = Listening(ruled.service)
        administrator.add(try .documents(1, "c/a"))
        _ = try administrator.take()
        ruled.caller = user("ann")
        let listening = Listening(ruled.service)
        listening.add(try .documents(1, "c/a"))
        listening.add(try .documents(2, "c/none"))
        _ = try listening.take()
        try ruled.store([try Self.c("a", -1)])
        #expect(try listening.take() == ["REMOVE 1 \(Self.denied)", "SNAPSHOT"])
        #expect(try administrator.take() == ["c/a +1", "SNAPSHOT"])
        // It does not come back by itself.
        try ruled.store([try Self.c("a", 2)])
        #expect(try listening.take() == [])
        // One that comes is a document, too.
        try ruled.store([try Self.c("none", -1)])
        #expect(try listening.take().first == "REMOVE 2 \(Self.denied)")
        // The ids can be used again.
        listening.add(try .documents(1, "c/a"))
        #expect(try listening.take().prefix(2) == ["ADD 1", "c/a +1"])
    }

    @Test func `What leaves a query is not shown any more`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let listening = Listening(ruled.service)
        listening.add(try .collection(1, filtered: true))
        _ = try listening.take()
        try ruled.store([try Self.c("a", -7)])
        #expect(try listening.take() == ["removed c/a -1", "SNAPSHOT"])
    }

    @Test func `A query is decided again before it is told of anything new`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let listening = Listening(ruled.service)
        listening.add(try .collection(1, filtered: true))
        _ = try listening.take()
        ruled.caller = .administrator
        try ruled.service.commit([Write(name: try name("members/ann"), operation: .delete)])
        #expect(try listening.take() == [])
        try ruled.service.advance(microseconds: 2_000)
        try ruled.store([try Self.c("b", 5)])
        #expect(try listening.take().first == "REMOVE 1 \(Self.denied)")
        #expect(listening.documents.keys.contains(try name("c/b")) == false)
    }

    @Test func `New rules end the targets that they do not allow, and no others`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        ruled.caller = .administrator
        let administrator = Listening(ruled.service)
        administrator.add(try .collection(1))
        _ = try administrator.take()
        ruled.caller = user("ann")
        let listening = Listening(ruled.service)
        listening.add(try .collection(1, filtered: true))
        listening.add(try .documents(2, "c/a"))
        _ = try listening.take()
        try ruled.install("match /c/{id} { allow get; }")
        #expect(try listening.take() == [])
        ruled.service.service.judgeListeners()
        #expect(try listening.take() == ["REMOVE 1 \(Self.denied)"])
        try ruled.store([try Self.c("b", 5), try Self.c("a", -3)])
        #expect(try listening.take() == ["c/a +2", "SNAPSHOT"])
        #expect(try administrator.take().count == 3)
        // Nothing is left of a stream that has ended.
        #expect(ruled.service.service.listeners.count == 1)
        listening.call?.cancel()
        try ruled.service.run()
        #expect(ruled.service.service.listeners.count == 0)
    }

    @Test func `A target of many documents is judged in turns, and requests wait for it`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let names = try (0..<150).map { try name("c/none\($0)") }
        let listening = Listening(ruled.service)
        listening.add(ListenTarget(id: 1, .documents(names)))
        listening.remove(1)
        listening.add(ListenTarget(id: 2, .documents(names + [try name("c/z")])))
        let lines = try listening.take()
        #expect(lines.first == "ADD 1" && lines.contains("REMOVE 1"))
        #expect(lines.suffix(2) == ["ADD 2", "REMOVE 2 \(Self.denied)"])
    }
}
