import BrasaDocuments
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

@Suite struct CollectorTests {
    private func isCached(_ test: TestClient, _ text: String) throws -> Bool {
        try test.engine.local.readDocument(at: try path(text)).isValid
    }

    @Test func `The eager collector lets go of a document when its last holder does`() throws {
        let test = try TestClient()
        let query = try collection("c")
        let token = test.listen(query)
        test.bring([try document("c/a", 1, [:])], to: query, at: 10)
        test.write(try patch("c/a", ["n": .integer(1)]))
        test.client.unlisten(token)
        #expect(try self.isCached(test, "c/a"))
        test.acknowledge(11)
        #expect(try !self.isCached(test, "c/a"))
    }

    @Test func `The least recently used go first, a bite at a time`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        for index in 0..<20 {
            test.write(try set("c/\(index)", ["n": .integer(1)]))
            test.acknowledge(Int64(index + 1))
        }
        let kept = { try (0..<20).filter { try self.isCached(test, "c/\($0)") } }
        try test.engine.local.collectGarbage(CollectionLimits(bytesMax: 1_000_000))
        #expect(try kept().count == 20)
        try test.engine.local.collectGarbage(CollectionLimits(bytesMax: 1))
        #expect(try kept() == Array(2..<20))
        try test.engine.local.collectGarbage(CollectionLimits(bytesMax: 1, percent: 100, countMax: 3))
        #expect(try kept() == Array(5..<20))
    }

    @Test func `What is listened to, seen or written is not collected`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let query = try collection("c")
        let other = try collection("d")
        test.listen(query)
        test.bring([try document("c/a", 1, [:])], to: query, at: 10)
        let token = test.listen(other)
        test.bring([try document("d/a", 1, [:]), try document("d/b", 1, [:])], to: other, at: 11)
        test.write(try patch("d/b", ["n": .integer(1)]))
        test.client.unlisten(token)
        try test.engine.local.collectGarbage(CollectionLimits(bytesMax: 1, percent: 100))
        #expect(try self.isCached(test, "c/a"))
        #expect(try !self.isCached(test, "d/a"))
        #expect(try self.isCached(test, "d/b"))
        // The target that nobody listens to is forgotten, with its token.
        test.listen(other)
        #expect(test.transport.watch?.active.values.contains { $0.resumption != nil } == false)
    }

    @Test func `The collector runs a minute after the start and then every five`() throws {
        let test = try TestClient(
            .leastRecentlyUsed,
            configuration: SyncConfiguration(cacheBytesMax: 1)
        )
        for index in 0..<10 {
            test.write(try set("c/\(index)", [:]))
            test.acknowledge(Int64(index + 1))
        }
        let timer = { test.scheduler.timers.first { $0.timer == .garbageCollection } }
        #expect(timer().map { $0.due - test.scheduler.uptime } == .seconds(60))
        test.scheduler.fire(.garbageCollection)
        #expect(try !self.isCached(test, "c/0"))
        #expect(timer().map { $0.due - test.scheduler.uptime } == .seconds(300))
    }
}
