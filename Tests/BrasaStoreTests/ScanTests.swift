import BrasaDocuments
import BrasaQueries
import BrasaSimulation
import Testing

@testable import BrasaStore

@Suite struct ScanTests {
    private func filled() throws -> (StoreFixture, DatabaseHandle) {
        let fixture = try StoreFixture()
        let database = fixture.store.database(try databaseName())
        let names = [
            "users/b", "users/a", "users/__id3__", "users/__id-4__", "users/a/posts/1", "users/a/posts/2",
            "users/c/posts/9", "users/c/likes/1", "users!/x", "posts/top", "posts/top/posts/deep", "users/zz/posts/1",
        ]
        try fixture.commit(database, names.map { ($0, "x") })
        return (fixture, database)
    }

    @Test func findsACollectionItsMissingDocumentsAndItsGroups() throws {
        let (fixture, database) = try self.filled()
        let store = fixture.store
        let users = ["users/__id-4__", "users/__id3__", "users/a", "users/b"]
        #expect(try store.names(range("", "users"), in: database) == users)
        #expect(try store.names(range("", "users"), in: database, descending: true) == users.reversed())
        #expect(
            try store.names(range("", "users"), in: database, showMissing: true, chunk: 1)
                == users + ["?users/c", "?users/zz"]
        )
        let group = [
            "posts/top", "posts/top/posts/deep", "users/a/posts/1", "users/a/posts/2", "users/c/posts/9",
            "users/zz/posts/1",
        ]
        #expect(try store.names(range("", "posts", all: true), in: database) == group)
        #expect(try store.names(range("", "posts", all: true), in: database, descending: true) == group.reversed())
        #expect(try store.names(range("users/c", "posts", all: true), in: database) == ["users/c/posts/9"])
        #expect(try store.names(range("users/a", nil), in: database) == ["users/a/posts/1", "users/a/posts/2"])
        #expect(
            try store.names(range("users/c", nil, all: true), in: database) == ["users/c/likes/1", "users/c/posts/9"]
        )
        #expect(try store.names(range("", nil, all: true), in: database).count == 12)
        let ids = try store.listCollectionIDs(
            under: path("users/c"),
            in: database,
            at: store.strongReadTime(),
            limit: 9
        )
        #expect(ids == ["likes", "posts"])
    }

    @Test(arguments: [1, 2, 3, 7])
    func aScanInStepsFindsTheSame(_ stepsMax: Int) throws {
        let (fixture, database) = try self.filled()
        for (scope, showMissing) in try [
            (range("", "users"), true), (range("", "users"), false), (range("", "posts", all: true), false),
            (range("users/c", nil), true),
        ] {
            let now = fixture.store.strongReadTime()
            var scan = try fixture.store.scan(scope, in: database, at: now, showMissing: showMissing)
            var names: [String] = []
            while !scan.isAtEnd {
                var steps = stepsMax
                names += try scan.next(4, steps: &steps).map { ($0.document == nil ? "?" : "") + $0.path.string }
            }
            #expect(try names == fixture.store.names(scope, in: database, showMissing: showMissing))
        }
    }

    @Test func whatIsNotThereYetCountsAsSteps() throws {
        let fixture = try StoreFixture()
        let database = fixture.store.database(try databaseName())
        let names = (0..<4_000).map { "a/\($0)" }
        let early = Set(stride(from: 0, to: names.count, by: 200).map { names[$0] })
        let time = try fixture.commit(database, early.map { ($0, "x") })
        try fixture.commit(database, names.filter { !early.contains($0) }.map { ($0, "x") })
        var scan = try fixture.store.scan(range("", "a"), in: database, at: time)
        var (found, calls) = (0, 0)
        while !scan.isAtEnd {
            var steps = 100
            found += try scan.next(10, steps: &steps).count
            calls += 1
        }
        #expect(found == early.count)
        #expect(calls >= names.count / 100)
    }

    @Test func aCollectionIsPartedWithoutWhatLiesBelowItsDocuments() throws {
        let fixture = try StoreFixture { $0.shards = 1 }
        let database = fixture.store.database(try databaseName())
        for number in 0..<10 {
            try fixture.commit(database, [("c/\(number)", "x")] + (0..<1_000).map { ("c/\(number)/d/\($0)", "x") })
        }
        let now = fixture.store.strongReadTime()
        var (near, all) = (try fixture.store.partition(collectionID: "c", in: database, at: now), 1)
        while near.step() { all += 1 }
        #expect(all <= 2)
        var (far, steps) = (try fixture.store.partition(collectionID: "d", in: database, at: now), 1)
        while far.step() { steps += 1 }
        #expect(steps > 2)
        #expect(far.points(9).count == 9)
    }

    @Test func thePartsOfAnEarlierTimeHaveWhatWasDeletedSince() throws {
        let fixture = try StoreFixture()
        let database = fixture.store.database(try databaseName())
        let names = (0..<2_000).map { "c/\($0)" }
        let time = try fixture.commit(database, names.map { ($0, "x") })
        let points = { time in
            try fixture.store.partitionPoints(collectionID: "c", count: 7, in: database, at: time)
        }
        let before = try points(time)
        #expect(before.count == 7)
        let later = try fixture.commit(database, names.prefix(1_500).map { ($0, nil) })
        #expect(try points(time) == before)
        #expect(try points(later).count == 3)
    }

    @Test func aPageThatBeginsBehindADocumentDoesNotShowItAgainAsMissing() throws {
        let (fixture, database) = try self.filled()
        var names: [String] = []
        var rest = try range("", "users")
        while true {
            var scan = try fixture.store.scan(
                rest,
                in: database,
                at: fixture.store.strongReadTime(),
                showMissing: true
            )
            guard let entry = try scan.next(1).first else { break }
            names.append(entry.path.string)
            rest = rest.resumed(after: entry.path, isDescending: false)
        }
        #expect(names == ["users/__id-4__", "users/__id3__", "users/a", "users/b", "users/c", "users/zz"])
    }

    @Test func manyDeletedDocumentsAreWalkedInBoundedSteps() throws {
        let fixture = try StoreFixture { $0.shards = 1 }
        let database = fixture.store.database(try databaseName())
        let names = (0..<5_000).map { "a/\($0)" }
        try fixture.commit(database, names.map { ($0, "x") })
        let time = try fixture.commit(database, names.dropLast().map { ($0, nil) })
        #expect(try fixture.store.names(range("", "a"), in: database) == ["a/4999"])
        #expect(try fixture.store.names(range("", "a"), in: database, descending: true) == ["a/4999"])
        let before = Timestamp(microseconds: time.microseconds - 1)
        #expect(try fixture.store.names(range("", "a"), in: database, at: before, chunk: 700).count == 5_000)
    }

    @Test func clearingADatabaseLeavesTheOthers() throws {
        let (fixture, database) = try self.filled()
        let other = fixture.store.database(try databaseName("other"))
        let time = try fixture.commit(other, [("a/1", "x")])
        _ = try fixture.store.clear(database, waiter: nil)
        fixture.flush()
        #expect(try fixture.store.names(range("", nil, all: true), in: database) == [])
        #expect(try fixture.store.names(range("", nil, all: true), in: database, at: time).count == 12)
        #expect(try fixture.store.names(range("", nil, all: true), in: other) == ["a/1"])
        try fixture.restart()
        #expect(fixture.store.statistics.documents == 1)
    }

    @Test func databasesWithoutDocumentsDoNotGather() throws {
        let fixture = try StoreFixture()
        let held = fixture.store.database(try databaseName("held"))
        let full = try databaseName("full")
        try fixture.commit(fixture.store.database(full), [("a/1", "x")])
        for number in 0..<10_000 { _ = fixture.store.database(try databaseName("empty-\(number)")) }
        #expect(fixture.store.statistics.databases < 2_000)
        #expect(fixture.store.database(try databaseName("held")) === held)
        #expect(try fixture.store.text("a/1", in: fixture.store.database(full)) == "x")
    }
}
