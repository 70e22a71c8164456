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

    private func write(_ test: TestClient, _ names: Range<Int>) throws {
        for index in names {
            test.write(try set("c/\(index)", ["n": .integer(1)]))
            test.acknowledge(Int64(index + 1))
        }
    }

    private func delay(_ test: TestClient) -> Duration? {
        test.scheduler.timers.first { $0.timer == .garbageCollection }.map { $0.due - test.scheduler.uptime }
    }

    @Test func `The collector runs a minute after the start and then every five`() throws {
        let test = try TestClient(.leastRecentlyUsed, configuration: SyncConfiguration(cacheBytesMax: 1_000_000))
        try self.write(test, 0..<10)
        #expect(self.delay(test) == .seconds(60))
        test.scheduler.fire(.garbageCollection)
        #expect(try self.isCached(test, "c/0"))
        #expect(self.delay(test) == .seconds(300))
    }

    @Test func `A cache that is too large is collected soon, and again until it is not`() throws {
        let test = try TestClient(.leastRecentlyUsed, configuration: SyncConfiguration(cacheBytesMax: 200))
        try self.write(test, 0..<10)
        #expect(self.delay(test) == .seconds(60))
        try self.write(test, 10..<40)
        var bites = 0
        while self.delay(test) == .milliseconds(100) {
            test.scheduler.fire(.garbageCollection)
            bites += 1
        }
        #expect(bites > 1)
        #expect(self.delay(test) == .seconds(300))
        #expect(try !self.isCached(test, "c/0"))
        #expect(try self.isCached(test, "c/39"))
        // And the same again from here.
        try self.write(test, 40..<80)
        #expect(self.delay(test) == .milliseconds(100))
    }

    @Test func `When all that is cached is in use, the collector waits longer and longer`() throws {
        let test = try TestClient(.leastRecentlyUsed, configuration: SyncConfiguration(cacheBytesMax: 1))
        let query = try collection("c")
        test.listen(query)
        test.bring([try document("c/a", 1, ["n": .integer(1)])], to: query, at: 10)
        #expect(self.delay(test) == .milliseconds(100))
        for seconds in [1, 2, 4] {
            test.scheduler.fire(.garbageCollection)
            test.change([try document("c/a", 20, ["n": .integer(Int64(seconds))])], in: query, at: 20)
            #expect(self.delay(test) == .seconds(seconds))
        }
    }
}
