import BrasaDocuments
import BrasaLog
import BrasaQueries
import BrasaSimulation
import Testing

@testable import BrasaStore

/// What databases keep of the past together is bounded; each has its part, whatever the others do.
@Suite struct DatabaseShareTests {
    private func databases(_ fixture: StoreFixture) throws -> (busy: DatabaseHandle, quiet: DatabaseHandle) {
        (fixture.store.database(try databaseName("busy")), fixture.store.database(try databaseName("quiet")))
    }

    @Test func `a database that churns does not push another's changes out`() throws {
        let fixture = try StoreFixture { $0.recentChangesMax = 100 }
        let (busy, quiet) = try self.databases(fixture)
        let start = fixture.store.creationTime
        for number in 0..<10 { try fixture.commit(quiet, [("a/1", "\(number)")]) }
        for number in 0..<1_000 { try fixture.commit(busy, [("a/\(number % 7)", "\(number)")]) }
        #expect(fixture.store.changes(after: start, in: quiet, limit: .max)?.count == 10)
        #expect(fixture.store.changes(after: start, in: busy, limit: .max) == nil)
        // What the quiet one does not claim is the busy one's.
        let oldest = fixture.store.oldestChangesTime(in: busy)
        #expect(fixture.store.changes(after: oldest, in: busy, limit: .max)?.count == 90)
        #expect(fixture.store.changes(after: oldest, in: [busy, quiet], limit: .max)?.count == 90)
        #expect(fixture.store.changes(after: start, in: [busy, quiet], limit: .max) == nil)
    }

    @Test func `a database that comes later gets its equal share of the changes from who has more`() throws {
        let fixture = try StoreFixture { $0.recentChangesMax = 100 }
        let (busy, quiet) = try self.databases(fixture)
        for number in 0..<200 { try fixture.commit(busy, [("a/1", "\(number)")]) }
        for number in 0..<200 { try fixture.commit(quiet, [("a/1", "\(number)")]) }
        for database in [busy, quiet] {
            let oldest = fixture.store.oldestChangesTime(in: database)
            #expect(fixture.store.changes(after: oldest, in: database, limit: .max)?.count == 50)
        }
    }

    @Test func `of many databases each has its equal share of the changes, in whatever order they come`() throws {
        let fixture = try StoreFixture { $0.recentChangesMax = 1_000 }
        let databases = try (0..<200).map { fixture.store.database(try databaseName("d\($0)")) }
        // The first ones have all, the others come one by one and take from them.
        for number in 0..<1_000 { try fixture.commit(databases[number % 3], [("a/1", "\(number)")]) }
        for round in 0..<10 {
            for database in databases.reversed() { try fixture.commit(database, [("a/1", "\(round)")]) }
        }
        #expect(fixture.store.statistics.recentChanges == 1_000)
        for database in databases {
            let oldest = fixture.store.oldestChangesTime(in: database)
            #expect(fixture.store.changes(after: oldest, in: database, limit: .max)?.count == 5)
        }
    }

    @Test func `changes that nobody can read before take no room, and a database at rest has no share`() throws {
        let fixture = try StoreFixture { $0.history = .seconds(60) }
        let store = fixture.store
        let (busy, quiet) = try self.databases(fixture)
        let first = try fixture.commit(quiet, [("a/1", "1")])
        let last = try fixture.commit(quiet, [("a/1", "2")])
        for number in 0..<2_000 { try fixture.commit(busy, [("a/1", "\(number)")]) }
        fixture.wait(.seconds(50))
        let time = try fixture.commit(busy, [("a/1", "x")])
        while store.maintain() {}
        #expect(store.statistics.recentChanges == 2_003)
        fixture.wait(.seconds(50))
        _ = store.strongReadTime()
        while store.maintain() {}
        #expect(store.statistics.recentChanges == 1)
        #expect(store.changes(after: last, in: busy, limit: 9) == nil)
        #expect(store.changes(after: store.oldestChangesTime(in: busy), in: busy, limit: 9)?.map(\.time) == [time])
        // What has not changed since is as well known as it was.
        #expect(store.newestCommit(at: store.watermark, in: quiet) == last)
        #expect(store.lastTime(as: last, in: quiet) == store.watermark)
        #expect(store.lastTime(ofCommit: last, in: quiet) == store.watermark)
        #expect(store.lastTime(as: first, in: quiet) == nil)
    }

    @Test func `changes of several databases come in the order of commits, also from before the known order`() throws {
        let fixture = try StoreFixture()
        let (busy, quiet) = try self.databases(fixture)
        var times: [Timestamp] = []
        for number in 0..<5_000 {
            let database = number % 50 == 0 ? quiet : busy
            times.append(try fixture.commit(database, [("a/1", "\(number)"), ("a/2", "\(number)")]))
        }
        var heard: [Timestamp] = []
        var position = fixture.store.creationTime
        while let changes = fixture.store.changes(after: position, in: [busy, quiet], limit: 256),
            let last = changes.last
        {
            #expect(changes.count >= 256 || last.time == times.last)
            heard += changes.map(\.time)
            position = last.time
        }
        #expect(heard == times.flatMap { [$0, $0] })
    }

    @Test func `the oldest changes of many databases come first, however few are asked for`() throws {
        let fixture = try StoreFixture()
        let databases = try (0..<20).map { fixture.store.database(try databaseName("d\($0)")) }
        var times: [Timestamp] = []
        // More commits than are known in their order.
        for number in 0..<6_000 { times.append(try fixture.commit(databases[number % 20], [("a/1", "\(number)")])) }
        for limit in [1, 7, 256, Int.max] {
            let changes = fixture.store.changes(after: fixture.store.creationTime, in: Set(databases), limit: limit)
            #expect(changes?.map(\.time) == Array(times.prefix(limit)))
        }
    }

    @Test func `a database that churns does not push another's readers out of history`() throws {
        let fixture = try StoreFixture {
            $0.historyBytesMax = 100_000
            $0.historyMin = .zero
        }
        let store = fixture.store
        let (busy, quiet) = try self.databases(fixture)
        let start = try fixture.commit(quiet, [("a/1", "first")])
        for number in 0..<100 { try fixture.commit(quiet, [("a/1", "\(number)")]) }
        let pin = try store.pin(at: start, in: quiet)
        for round in 0..<20 {
            for number in 0..<200 { try fixture.commit(busy, [("a/\(number)", "\(round)")]) }
            while store.maintain() {}
            #expect(store.statistics.historyBytes <= 100_000)
        }
        #expect(try store.text("a/1", in: quiet, at: start) == "first")
        try store.checkReadTime(start, in: quiet)
        #expect(pin.time == start)
        #expect(throws: StoreError.self) { try store.checkReadTime(start, in: busy) }
        // The busy one has all that the other leaves, but for what a turn frees at a time.
        #expect(busy.history.bytes + quiet.history.bytes > 90_000)
    }

    @Test func `under pressure no more goes than has to, however large versions are`() throws {
        let fixture = try StoreFixture {
            $0.historyBytesMax = 1 << 20
            $0.historyMin = .zero
            $0.log.recordBytesMax = 1 << 20
        }
        let database = fixture.store.database(try databaseName())
        let text = String(repeating: "x", count: 100_000)
        for number in 0..<30 { try fixture.commit(database, [("a/1", text + "\(number)")]) }
        while fixture.store.maintain() {}
        #expect(fixture.store.statistics.supersededVersions == 10)
    }

    @Test func `the ended keys of indexes and the names of deleted documents are history`() throws {
        let fixture = try StoreFixture {
            $0.history = .seconds(60)
            $0.historyMin = .zero
        }
        let store = fixture.store
        let database = store.database(try databaseName())
        func write(_ value: Int64?) throws {
            for number in 0..<300 {
                let outcome: DocumentChange.Outcome =
                    value.map {
                        .set(EncodedFields(encoding: [Value.MapEntry(key: "n", value: .integer($0))]), createTime: nil)
                    } ?? .delete
                try fixture.commit([
                    DocumentChange(database: database, path: try path("a/\(number)/b/1"), outcome: outcome)
                ])
            }
        }
        try write(1)
        try write(2)
        let versions = store.statistics.historyBytes
        let part = IndexDefinition.Part(try FieldPath(parsing: "n".utf8), .ascending)
        let definition = IndexDefinition(collectionID: "b", scope: .collection, parts: [part])
        store.requestIndex(definition, in: database)
        while store.indexStep() {}
        let kept = store.statistics.historyBytes
        // At least the key, which has the value and the path, its end and two references.
        #expect(kept - versions > 300 * 30)
        try write(nil)
        // A version and its place in the queue, an ended key, and two names of each deleted document.
        #expect(store.statistics.historyBytes - kept > 300 * (64 + 40 + 30 + 160 + 2 * 40))
        fixture.clock.advance(microseconds: 120_000_000)
        while store.maintain() {}
        #expect(store.statistics.historyBytes == 0)
        #expect(store.statistics.supersededVersions == 0)
    }

    @Test func `a restart knows of each database which commit was its newest`() throws {
        let fixture = try StoreFixture()
        var (busy, quiet) = try self.databases(fixture)
        let last = try fixture.commit(quiet, [("a/1", "1")])
        for number in 0..<10 { try fixture.commit(busy, [("a/1", "\(number)")]) }
        try fixture.store.checkpoint()
        let next = try fixture.commit(busy, [("a/1", "x")])
        try fixture.restart()
        (busy, quiet) = try self.databases(fixture)
        let store = fixture.store
        #expect(store.lastTime(ofCommit: last, in: quiet) == store.watermark)
        #expect(store.lastTime(ofCommit: Timestamp(microseconds: last.microseconds - 1), in: quiet) == nil)
        #expect(store.lastTime(ofCommit: last, in: busy) == nil)
        #expect(store.changes(after: last, in: quiet, limit: 9)?.isEmpty == true)
        #expect(store.changes(after: last, in: busy, limit: 9) == nil)
        let before = try #require(store.newestCommit(at: Timestamp(microseconds: next.microseconds - 1), in: busy))
        #expect(store.changes(after: before, in: busy, limit: 9)?.map(\.time) == [next])
    }
}
