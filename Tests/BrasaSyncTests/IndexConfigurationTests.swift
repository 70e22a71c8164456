import BrasaDocuments
import BrasaQueries
import BrasaStatus
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

@Suite struct IndexConfigurationTests {
    private func configure(_ test: TestClient, _ json: String) -> StatusCode? {
        var answer: SyncError?
        test.client.setIndexConfiguration(Array(json.utf8)) { answer = $0 }
        return answer?.code
    }

    private func indexes(_ test: TestClient) throws -> [String] {
        try test.storage.transaction(.configureIndexes) { tables throws(StorageError) in
            try tables.indexes?.fieldIndexes().map { "\($0.definition.scopeName) \($0.definition.properties)" } ?? []
        }
    }

    private static let cities = """
        {"collectionGroup": "cities", "queryScope": "COLLECTION", "fields": [
            {"fieldPath": "tags", "arrayConfig": "CONTAINS"}, {"fieldPath": "`a.b`", "order": "DESCENDING"},
            {"fieldPath": "__name__", "order": "DESCENDING"}]}
        """

    @Test func `A configuration replaces the indexes that there are`() throws {
        let test = try TestClient(IndexedMemoryStorage())
        #expect(self.configure(test, "{\"indexes\": [\(Self.cities)], \"fieldOverrides\": []}") == nil)
        #expect(try self.indexes(test) == ["Collection (tags CONTAINS, `a.b` DESC, __name__ ASC)"])
        let other = """
            {"collectionGroup": "x", "fields": [{"fieldPath": "n", "order": "ASCENDING"}]},
            {"collectionGroup": "x", "fields": [{"fieldPath": "v", "vectorConfig": {"dimension": 2, "flat": {}}}]}
            """
        #expect(self.configure(test, "{\"indexes\": [\(Self.cities), \(other)]}") == nil)
        #expect(try self.indexes(test).count == 3)
        #expect(self.configure(test, "{\"indexes\": [\(other)]}") == nil)
        #expect(
            try self.indexes(test) == ["Collection (n ASC, __name__ ASC)", "Collection group (n ASC, __name__ ASC)"]
        )
        test.client.deleteAllIndexes()
        #expect(try self.indexes(test) == [])
    }

    @Test(arguments: [
        "", "[]", "{", #"{"indexes": 1}"#, #"{"indexes": [{}]}"#, #"{"indexes": [{"collectionGroup": "a/b"}]}"#,
        #"{"indexes": [{"collectionGroup": "a"}]}"#, #"{"indexes": [{"collectionGroup": "a", "fields": [{}]}]}"#,
        #"{"indexes": [{"collectionGroup": "a", "fields": [{"fieldPath": "n"}]}]}"#,
        #"{"indexes": [{"collectionGroup": "a", "fields": [{"fieldPath": "n", "order": "UP"}]}]}"#,
        #"{"indexes": [{"collectionGroup": "a", "fields": [{"fieldPath": "", "order": "ASCENDING"}]}]}"#,
        #"{"indexes": [{"collectionGroup": "a", "queryScope": "X", "fields": [{"fieldPath": "n", "order": "ASCENDING"}]}]}"#,
        #"{"indexes": [{"collectionGroup": "a", "fields": [{"fieldPath": "n", "order": "ASCENDING"}, {"fieldPath": "n", "arrayConfig": "CONTAINS"}]}]}"#,
    ])
    func `One that cannot be read changes nothing`(json: String) throws {
        let test = try TestClient(IndexedMemoryStorage())
        _ = self.configure(test, "{\"indexes\": [\(Self.cities)]}")
        #expect(self.configure(test, json) == .invalidArgument)
        #expect(try self.indexes(test).count == 1)
    }

    @Test func `A cache without indexes takes no notice`() throws {
        let test = try TestClient()
        #expect(self.configure(test, "{\"indexes\": [\(Self.cities)]}") == nil)
        #expect(self.configure(test, "{") == .invalidArgument)
        test.client.setIndexAutoCreation(true)
        test.client.deleteAllIndexes()
        #expect(test.scheduler.timers.allSatisfy { $0.timer != .indexBackfill })
    }

    // MARK: - Upkeep

    private func wait(_ test: TestClient) -> Duration? {
        test.scheduler.timers.first { $0.timer == .indexBackfill }.map { $0.due - test.scheduler.uptime }
    }

    @Test func `Indexes are brought up to date soon after they are made, then every minute`() throws {
        let test = try TestClient(IndexedMemoryStorage())
        test.scheduler.fire(.indexBackfill)
        #expect(self.wait(test) == nil)
        for number in 0..<60 { test.write(try set("cities/\(number)", ["tags": .array([.integer(1)])])) }
        _ = self.configure(test, "{\"indexes\": [\(Self.cities)]}")
        #expect(self.wait(test) == .milliseconds(10))
        test.scheduler.fire(.indexBackfill)
        #expect(self.wait(test) == .milliseconds(10))
        test.scheduler.fire(.indexBackfill)
        #expect(self.wait(test) == .seconds(60))
        // A run that fails is made up for.
        test.storage.failing = [.backfillIndexes]
        test.scheduler.fire(.indexBackfill)
        #expect(self.wait(test) == .seconds(60))
        test.storage.failing = []
        test.client.deleteAllIndexes()
        #expect(self.wait(test) == .milliseconds(10))
        test.scheduler.fire(.indexBackfill)
        #expect(self.wait(test) == nil)
    }

    @Test func `What removed indexes have left is freed after the next start, too`() throws {
        let storage = IndexedMemoryStorage()
        let test = try TestClient(storage)
        test.engine.local.indexLimits.forgottenMax = 25
        let values = ["tags": Value.array([.integer(1)]), "a.b": .null]
        for number in 0..<60 { test.write(try set("cities/\(number)", values)) }
        _ = self.configure(test, "{\"indexes\": [\(Self.cities)]}")
        for _ in 0..<3 { test.scheduler.fire(.indexBackfill) }
        #expect(storage.tables.memoryIndexes.entryCount == 60)
        test.client.deleteAllIndexes()
        test.scheduler.fire(.indexBackfill)
        #expect(storage.tables.memoryIndexes.entryCount == 35)
        test.client.terminate {}
        let next = try TestClient(storage)
        next.engine.local.indexLimits.forgottenMax = 25
        #expect(self.wait(next) == .seconds(15))
        next.scheduler.fire(.indexBackfill)
        #expect(self.wait(next) == .milliseconds(10))
        next.scheduler.fire(.indexBackfill)
        #expect(storage.tables.memoryIndexes.entryCount == 0)
        #expect(self.wait(next) == nil)
    }

    @Test func `A client that finds indexes waits a little before it goes on with them`() throws {
        let storage = IndexedMemoryStorage()
        let test = try TestClient(storage)
        _ = self.configure(test, "{\"indexes\": [\(Self.cities)]}")
        test.client.terminate {}
        #expect(self.wait(test) == nil)
        let next = try TestClient(storage)
        #expect(self.wait(next) == .seconds(15))
    }
}
