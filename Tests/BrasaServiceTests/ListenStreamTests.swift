import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaQueries
import BrasaSimulation
import BrasaStatus
import BrasaWire
import Testing

@testable import BrasaService

/// The sequences of the protocol, message by message.
@Suite struct ListenStreamTests {
    private func number(_ value: Int64) -> [(String, Value)] { [("n", .integer(value))] }

    private func delete(_ path: String) throws -> Write { Write(name: try name(path), operation: .delete) }

    /// A service with documents, and a stream on it.
    private func listening(_ paths: String...) throws -> Listening {
        let service = try ServiceUnderTest()
        if !paths.isEmpty { try service.commit(try paths.map { try set($0, self.number(1)) }) }
        return Listening(service)
    }

    @Test func `A target is acknowledged, told of its documents, current, and in a snapshot`() throws {
        let listening = try self.listening("c/b", "c/a", "d/a")
        defer { listening.service.close() }
        listening.add(try .collection(1))
        #expect(try listening.take() == ["ADD 1", "c/a +1", "c/b +1", "CURRENT 1", "SNAPSHOT"])
        let stored = try listening.service.get("c/a").get().document
        #expect(listening.documents[try name("c/a")] == stored)
    }

    @Test func `An empty result is current at once`() throws {
        let listening = try self.listening()
        defer { listening.service.close() }
        listening.add(try .collection(1))
        #expect(try listening.take() == ["ADD 1", "CURRENT 1", "SNAPSHOT"])
    }

    @Test func `One commit is one group, and a write that changes nothing is none`() throws {
        let listening = try self.listening("c/a", "c/b")
        defer { listening.service.close() }
        listening.add(try .collection(1))
        _ = try listening.take()
        let commit = try listening.service.commit([
            try set("c/a", self.number(2)), try self.delete("c/b"), try set("c/d"), try set("d/x"),
        ])
        #expect(Set(try listening.take().dropLast()) == ["c/a +1", "deleted c/b -1", "c/d +1"])
        #expect(listening.snapshots.last == commit.commitTime)
        try listening.service.commit([try set("c/a", self.number(2))])
        #expect(try listening.take() == [])
        try listening.service.commit([try set("d/x", self.number(3))])
        #expect(try listening.take() == [])
    }

    @Test func `Two commits are two groups at their own times`() throws {
        let listening = try self.listening("c/a")
        defer { listening.service.close() }
        listening.add(try .collection(1))
        _ = try listening.take()
        for value: Int64 in 2...3 {
            let commit = try listening.service.commit([try set("c/a", self.number(value))])
            #expect(try listening.take() == ["c/a +1", "SNAPSHOT"])
            #expect(listening.snapshots.last == commit.commitTime)
        }
    }

    @Test func `A document that leaves a query is sent as it is, without the target`() throws {
        let listening = try self.listening("c/a")
        defer { listening.service.close() }
        listening.add(try .collection(1, filtered: true))
        #expect(try listening.take() == ["ADD 1", "c/a +1", "CURRENT 1", "SNAPSHOT"])
        try listening.service.commit([try set("c/a", self.number(0))])
        #expect(try listening.take() == ["c/a -1", "SNAPSHOT"])
    }

    @Test func `A limit's window is filled up in the same snapshot`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        try service.commit(try (1...3).map { try set("c/\($0)", self.number($0)) })
        let listening = Listening(service)
        listening.add(try .collection(1, limit: 2))
        #expect(try listening.take() == ["ADD 1", "c/1 +1", "c/2 +1", "CURRENT 1", "SNAPSHOT"])
        try service.commit([try self.delete("c/1")])
        #expect(Set(try listening.take()) == ["deleted c/1 -1", "c/3 +1", "SNAPSHOT"])
        try service.commit([try set("c/0", self.number(0))])
        #expect(Set(try listening.take()) == ["c/0 +1", "c/3 -1", "SNAPSHOT"])
        #expect(listening.documents.count == 2)
    }

    @Test func `Documents are told of whether they exist or not`() throws {
        let listening = try self.listening("c/a")
        defer { listening.service.close() }
        listening.add(try .documents(3, "c/a", "c/none"))
        let first = try listening.take()
        #expect(first.first == "ADD 3" && first.suffix(2) == ["CURRENT 3", "SNAPSHOT"])
        #expect(Set(first.dropFirst().dropLast(2)) == ["c/a +3", "deleted c/none -3"])
        try listening.service.commit([try set("c/none"), try set("c/other")])
        #expect(try listening.take() == ["c/none +3", "SNAPSHOT"])
        try listening.service.commit([try self.delete("c/a")])
        #expect(try listening.take() == ["deleted c/a -3", "SNAPSHOT"])
    }

    @Test func `A removed target is acknowledged and heard of no more`() throws {
        let listening = try self.listening("c/a")
        defer { listening.service.close() }
        listening.add(try .collection(1))
        listening.add(try .documents(2, "c/a"))
        _ = try listening.take()
        listening.remove(1)
        #expect(try listening.take() == ["REMOVE 1"])
        try listening.service.commit([try set("c/a", self.number(2)), try set("c/b")])
        #expect(try listening.take() == ["c/a +2", "SNAPSHOT"])
        listening.remove(9)
        #expect(try listening.take() == ["REMOVE 9"])
    }

    @Test func `A target that is wanted once ends with its first snapshot`() throws {
        let listening = try self.listening("c/a")
        defer { listening.service.close() }
        listening.add(try .collection(1, once: true))
        #expect(try listening.take() == ["ADD 1", "c/a +1", "CURRENT 1", "SNAPSHOT", "REMOVE 1"])
        try listening.service.commit([try set("c/b")])
        #expect(try listening.take() == [])
        #expect(listening.status == nil)
    }

    @Test func `Removing and adding the same id back to back begins anew`() throws {
        let listening = try self.listening("c/a")
        defer { listening.service.close() }
        listening.add(try .collection(1))
        _ = try listening.take()
        for _ in 0..<3 {
            listening.remove(1)
            listening.add(try .collection(1))
        }
        let lines = try listening.take()
        #expect(lines.filter { $0 == "REMOVE 1" }.count == 3)
        #expect(lines.filter { $0 == "ADD 1" }.count == 3)
        #expect(lines.prefix(2) == ["REMOVE 1", "ADD 1"])
        #expect(lines.suffix(3) == ["c/a +1", "CURRENT 1", "SNAPSHOT"])
    }

    @Test func `A document of several targets names them all`() throws {
        let listening = try self.listening("c/a")
        defer { listening.service.close() }
        listening.add(try .collection(2))
        listening.add(try .collection(4, filtered: true))
        listening.add(try .documents(6, "c/a"))
        _ = try listening.take()
        try listening.service.commit([try set("c/a", self.number(0))])
        var lines = try listening.take()
        #expect(lines.popLast() == "SNAPSHOT")
        let words = lines.flatMap { $0.split(separator: " ").dropFirst() }
        #expect(lines.allSatisfy { $0.hasPrefix("c/a ") })
        #expect(words.sorted() == ["+2", "+6", "-4"])
    }

    @Test func `A resumed target is told of the difference only`() throws {
        let listening = try self.listening("c/a", "c/b", "c/d")
        defer { listening.service.close() }
        listening.add(try .collection(1))
        _ = try listening.take()
        listening.call?.cancel()
        _ = try listening.take()
        try listening.service.commit([try set("c/b", self.number(2)), try self.delete("c/d")])
        try listening.service.commit([try set("c/e")])
        let resumed = Listening(listening.service)
        resumed.add(try .collection(5, resume: .token(listening.token)))
        let lines = try resumed.take()
        #expect(lines.first == "ADD 5")
        #expect(lines.suffix(2) == ["CURRENT 5", "SNAPSHOT"])
        #expect(
            Set(lines.filter { $0.hasPrefix("c/") || $0.hasPrefix("deleted") }) == [
                "c/b +5", "deleted c/d -5", "c/e +5",
            ]
        )
        let timed = Listening(listening.service)
        timed.add(try .collection(1, resume: .readTime(ReadTime(try #require(listening.snapshots.last)))))
        let since = try timed.take()
        #expect(
            Set(since.filter { $0.hasPrefix("c/") || $0.hasPrefix("deleted") }) == [
                "c/b +1", "deleted c/d -1", "c/e +1",
            ]
        )
    }

    @Test(arguments: [[1, 2, 3], Array(repeating: 0, count: 29), Array("bad resume token".utf8)] as [[UInt8]])
    func `A token that is none of ours begins anew`(_ token: [UInt8]) throws {
        let listening = try self.listening("c/a")
        defer { listening.service.close() }
        listening.add(try .collection(1, resume: .token(token)))
        #expect(try listening.take() == ["ADD 1", "RESET 1", "c/a +1", "CURRENT 1", "SNAPSHOT"])
    }

    @Test func `A client that expects another count is told the right one`() throws {
        let listening = try self.listening("c/a", "c/b")
        defer { listening.service.close() }
        listening.add(try .collection(1))
        _ = try listening.take()
        let resumed = Listening(listening.service)
        resumed.add(try .collection(1, resume: .token(listening.token), expectedCount: 5))
        let lines = try resumed.take()
        #expect(lines.contains("FILTER 1 2"))
        #expect(lines.suffix(2) == ["CURRENT 1", "SNAPSHOT"])
    }

    @Test func `Idle streams are told the time`() throws {
        let listening = try self.listening("c/a")
        defer { listening.service.close() }
        listening.add(try .collection(1))
        _ = try listening.take()
        for _ in 0..<31 { try listening.service.advance(microseconds: 1_000_000) }
        #expect(try listening.take() == ["SNAPSHOT"])
        #expect(listening.snapshots.count == 2 && listening.snapshots[0] < listening.snapshots[1])
    }

    @Test func `Nothing is told that is not durable`() throws {
        let disk = SimulatedDisk(seed: 1)
        let service = try ServiceUnderTest(disk: disk)
        defer { service.close() }
        let listening = Listening(service)
        listening.add(try .collection(1))
        _ = try listening.take()
        disk.faults = SimulatedFaults(failedSyncs: 1_000)
        #expect(try service.tryCommit([try set("c/a")]).status?.code == .dataLoss)
        #expect(try listening.take() == [])
    }
}
