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
        let test = try TestClient(.leastRecentlyUsed, configuration: SyncConfiguration(cacheBytesMax: 8_000))
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

    /// Without a pause, other documents each time, far more than there is room for.
    @Test func `The cache of a server that reads ever other documents stays within its bounds`() throws {
        let storage = MemoryStorage(collector: .leastRecentlyUsed)
        let bytesMax = 300_000
        let test = try TestClient(storage, configuration: SyncConfiguration(cacheBytesMax: bytesMax))
        var greatest = 0
        for index in 0..<1_500 {
            let name = "users/\(index)/orders/first"
            let query = SyncQuery(document: try path(name))
            var answers = 0
            test.client.getDocument(try path(name)) { if case .success = $0 { answers += 1 } }
            test.settle()
            let documents = index % 2 == 0 ? [try document(name, 1, ["n": .integer(1)])] : []
            test.bring(documents, to: query, at: Int64(index + 10))
            #expect(answers == 1)
            // A thousand reads a second.
            test.scheduler.advance(by: .milliseconds(1))
            greatest = max(greatest, storage.byteCount)
        }
        #expect(greatest < bytesMax * 2)
        #expect(greatest > bytesMax)
        test.scheduler.advance(by: .seconds(10))
        #expect(storage.byteCount < bytesMax)
    }

    @Test func `Of very many the longest unused go first, too`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        for name in ["c", "d", "e"] {
            let query = try collection(name)
            let token = test.listen(query)
            let documents = try (0..<30).map { try document("\(name)/\($0)", 1, [:]) }
            test.bring(documents, to: query, at: 10)
            test.client.unlisten(token)
        }
        let limits = CollectionLimits(bytesMax: 1, percent: 100, countMax: 10)
        let kept = { (name: String) in try (0..<30).filter { try self.isCached(test, "\(name)/\($0)") }.count }
        _ = try test.engine.local.collectGarbage(limits)
        #expect(try ["c", "d", "e"].map(kept) == [0, 30, 30])
        // What is used again is behind the others, whatever was planned.
        test.listen(try collection("d"))
        _ = try test.engine.local.collectGarbage(limits)
        #expect(try ["c", "d", "e"].map(kept) == [0, 30, 0])
    }

    @Test(arguments: [MemoryStorage.Collector.eager, .leastRecentlyUsed])
    func `Of what nobody holds nothing is left`(_ collector: MemoryStorage.Collector) throws {
        let storage = MemoryStorage(collector: collector)
        let test = try TestClient(storage)
        for index in 0..<50 {
            let name = "users/\(index)/orders/first"
            let query = SyncQuery(document: try path(name))
            let token = test.listen(query)
            test.bring([try document(name, 1, ["n": .integer(1)])], to: query, at: Int64(10 * index + 10))
            test.write(try patch(name, ["n": .integer(2)]))
            test.acknowledge(Int64(10 * index + 11))
            test.client.unlisten(token)
            test.write(try set("users/\(index)/notes/first", [:]))
            test.acknowledge(Int64(10 * index + 12))
        }
        _ = try test.engine.local.collectGarbage(CollectionLimits(bytesMax: 0, percent: 100))
        #expect(storage.byteCount == 0)
        try storage.transaction(.executeQuery) { tables throws(StorageError) in
            #expect(try tables.collections(withID: "orders").isEmpty)
            #expect(try tables.collections(withID: "notes").isEmpty)
        }
    }
}
