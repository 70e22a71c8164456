import BrasaDocuments
import BrasaSimulation
import Synchronization
import Testing

@testable import BrasaStore

@Suite struct HistoryTests {
    @Test func readTimesOutsideOfHistoryAreRefusedWithTheirReason() throws {
        let fixture = try StoreFixture { $0.history = .seconds(1) }
        let store = fixture.store
        let database = store.database(try databaseName())
        let first = try fixture.commit(database, [("a/1", "x")])
        fixture.clock.advance(microseconds: 3_000_000)
        let second = try fixture.commit(database, [("a/1", "y")])
        func code(_ microseconds: Int64) -> StoreError.Code? {
            do throws(StoreError) {
                try store.checkReadTime(Timestamp(microseconds: microseconds), in: database)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(store.creationTime.microseconds - 1) == .readTimeBeforeCreation)
        #expect(code(first.microseconds) == nil)
        #expect(try store.text("a/1", in: database, at: first) == "x")
        while store.maintain() {}
        #expect(code(first.microseconds) == .readTimeTooOld)
        #expect(throws: StoreError.self) { try store.text("a/1", in: database, at: first) }
        #expect(throws: StoreError.self) { try store.pin(at: first, in: database) }
        #expect(throws: StoreError.self) { try store.scan(range("", "a"), in: database, at: first) }
        #expect(code(second.microseconds) == nil)
        #expect(code(second.microseconds + 7) == .readTimeInFuture(by: 7))
        fixture.clock.advance(microseconds: 7)
        #expect(code(second.microseconds + 7) == nil)
        #expect(StoreError(.readTimeTooOld).description == "The requested snapshot version is too old.")
    }

    @Test func `a deletion is forgotten though a commit that was taken back hid it from pruning`() throws {
        let fixture = try StoreFixture { $0.history = .milliseconds(1) }
        let store = fixture.store
        let database = store.database(try databaseName())
        try fixture.commit(database, [("a/1", "x"), ("a/2", "x"), ("b/1/a/1", "x")])
        try fixture.commit(database, [("a/1", nil), ("a/2", nil), ("b/1/a/1", nil)])
        fixture.clock.advance(microseconds: 10_000)
        let now = store.strongReadTime()
        let stamp = store.stamp()
        let changes = try ["a/1", "a/2", "b/1/a/1", "a/3"].map {
            DocumentChange(database: database, path: try path($0), outcome: .set(fields("y"), createTime: nil))
        }
        // What another thread may do between a commit's change of the documents and the log's refusal.
        store.documents.add(changes, time: stamp.time.microseconds)
        while store.documents.prune(now: now.microseconds) {}
        store.documents.takeBack(changes, time: stamp.time.microseconds)
        store.withdraw(stamp)
        fixture.clock.advance(microseconds: 10_000)
        while store.maintain() {}
        #expect(store.statistics.historyBytes == 0)
        #expect(database.isEmpty)
        #expect(database.order.withLock { $0.names.isEmpty && $0.groups.isEmpty })
    }

    @Test func pruningForgetsWhatNobodyCanReadAndNothingElse() throws {
        let fixture = try StoreFixture { $0.history = .milliseconds(1) }
        let store = fixture.store
        let database = store.database(try databaseName())
        for number in 0..<700 { try fixture.commit(database, [("a/\(number % 10)", "\(number)")]) }
        for number in 0..<5 { try fixture.commit(database, [("a/\(number)", nil)]) }
        #expect(store.statistics.supersededVersions == 695)
        fixture.clock.advance(microseconds: 2_000)
        while store.maintain() {}
        let statistics = store.statistics
        #expect(statistics.supersededVersions == 0)
        #expect(statistics.historyBytes == 0)
        #expect(statistics.documents == 5)
        #expect(store.latestTime(try path("a/0"), in: database) == nil)
        #expect(try store.names(range("", "a"), in: database) == ["a/5", "a/6", "a/7", "a/8", "a/9"])
    }

    @Test func aPinKeepsItsVersionsUntilHistoryIsTooLarge() throws {
        let fixture = try StoreFixture {
            $0.history = .milliseconds(1)
            $0.historyMin = .zero
            $0.historyBytesMax = 20_000
        }
        let store = fixture.store
        let database = store.database(try databaseName())
        let time = try fixture.commit(database, [("a/1", "old")])
        var pin: SnapshotPin? = try store.pin(at: time, in: database)
        var scan = try store.scan(range("", "a"), in: database, at: time)
        for number in 0..<50 { try fixture.commit(database, [("a/1", "\(number)")]) }
        fixture.clock.advance(microseconds: 1_000_000)
        while store.maintain() {}
        #expect(try store.text("a/1", in: database, at: time) == "old")
        #expect(pin?.time == time && store.statistics.snapshotPins == 2)

        for number in 0..<500 { try fixture.commit(database, [("a/1", "\(number)")]) }
        while store.maintain() {}
        #expect(store.statistics.historyBytes <= 20_000)
        #expect(throws: StoreError.self) { try store.text("a/1", in: database, at: time) }
        for _ in 0..<3 { #expect(throws: StoreError.self) { try scan.next(1) } }
        #expect(try store.text("a/1", in: database) == "499")
        pin = nil
        #expect(store.statistics.snapshotPins == 1)
    }

    @Test func aRestartReadsTheTailsPastButNotTheCheckpoints() throws {
        let fixture = try StoreFixture()
        var database = fixture.store.database(try databaseName())
        let first = try fixture.commit(database, [("a/1", "one"), ("b/1", "x")])
        try fixture.store.checkpoint()
        let second = try fixture.commit(database, [("a/1", "two")])
        try fixture.commit(database, [("a/1", "three"), ("b/1", nil)])
        try fixture.restart()
        database = fixture.store.database(try databaseName())
        #expect(throws: StoreError.self) {
            try fixture.store.checkReadTime(Timestamp(microseconds: first.microseconds - 1), in: database)
        }
        #expect(try fixture.store.text("a/1", in: database, at: fixture.store.oldestReadTime(in: database)) == "one")
        #expect(try fixture.store.text("a/1", in: database, at: second) == "two")
        #expect(try fixture.store.text("b/1", in: database, at: second) == "x")
        #expect(try fixture.store.text("a/1", in: database) == "three")
        #expect(try fixture.store.text("b/1", in: database) == nil)
        let document = try fixture.store.get(path("a/1"), in: database, at: fixture.store.oldestReadTime(in: database))
        #expect(document?.createTime == first && document?.updateTime == first)
    }

    @Test func changesComeInWholeCommitsUntilTheyAreForgotten() throws {
        let fixture = try StoreFixture { $0.recentChangesMax = 10 }
        let store = fixture.store
        let database = store.database(try databaseName())
        let first = try fixture.commit(database, [("a/1", "x"), ("a/2", "x"), ("a/3", "x")])
        let second = try fixture.commit(database, [("a/1", "y"), ("a/2", "y")])
        #expect(store.changes(after: store.creationTime, in: database, limit: 1)?.map(\.time) == [first, first, first])
        #expect(store.changes(after: store.creationTime, in: database, limit: 4)?.count == 5)
        #expect(store.changes(after: first, in: database, limit: 9)?.map(\.path.string) == ["a/1", "a/2"])
        #expect(store.changes(after: second, in: database, limit: 9)?.isEmpty == true)
        for number in 0..<6 { try fixture.commit(database, [("b/\(number)", "x")]) }
        #expect(store.changes(after: store.creationTime, in: database, limit: 9) == nil)
        #expect(store.changes(after: first, in: database, limit: 9)?.count == 8)
        #expect(store.appliedChanges(after: store.creationTime, in: database, limit: 9) == nil)
        #expect(store.appliedChanges(after: second, in: database, limit: 9)?.count == 6)
        let change = DocumentChange(database: database, path: try path("c/1"), outcome: .set(.empty, createTime: nil))
        _ = try store.apply(changes: [change], waiter: nil)
        #expect(store.changes(after: second, in: database, limit: 9)?.count == 6)
        #expect(store.appliedChanges(after: second, in: database, limit: 9)?.count == 7)
    }

    @Test("changes are known one by one from the store's creation, after a restart from the checkpoint on")
    func changesAfterRestart() throws {
        let fixture = try StoreFixture()
        var database = fixture.store.database(try databaseName())
        let first = try fixture.commit(database, [("a/1", "1")])
        #expect(fixture.store.changes(after: Timestamp(microseconds: 0), in: database, limit: 10)?.count == 1)
        try fixture.restart()
        database = fixture.store.database(try databaseName())
        #expect(fixture.store.changes(after: Timestamp(microseconds: 0), in: database, limit: 10)?.count == 1)
        try fixture.store.checkpoint()
        let second = try fixture.commit(database, [("a/2", "2")])
        try fixture.restart()
        database = fixture.store.database(try databaseName())
        #expect(fixture.store.changes(after: Timestamp(microseconds: 0), in: database, limit: 10) == nil)
        let start = fixture.store.oldestChangesTime(in: database)
        #expect(first <= start && start < second)
        #expect(fixture.store.changes(after: start, in: database, limit: 10)?.map(\.time) == [second])
    }
}
