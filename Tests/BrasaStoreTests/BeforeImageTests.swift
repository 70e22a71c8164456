import BrasaDocuments
import BrasaLog
import BrasaSimulation
import Testing

@testable import BrasaStore

/// A commit's record says what the documents were before, where somebody asks for it.
@Suite struct BeforeImageTests {
    /// The changes of the newest commit in the log, as it is on disk.
    private func newestChanges(_ fixture: StoreFixture) throws -> [RecordedChange] {
        fixture.store.stop()
        var newest: [RecordedChange] = []
        let database = fixture.store.database(try databaseName())
        _ = try LogInspector.check(disk: fixture.disk, directory: "data") { (entry) throws(LogRejection) in
            guard case .record(let time, let bytes) = entry else { return }
            var reader = RecordReader(bytes)
            guard try reader.byte() == RecordKind.commit.rawValue else { return }
            newest = []
            while !reader.isAtEnd {
                _ = try reader.databaseName()
                for _ in 0..<(try reader.varint()) { newest.append(try reader.change(in: database, time: time)) }
            }
        }
        return newest
    }

    private func before(_ change: RecordedChange) -> String? {
        guard case .kept(let image) = change.before else { return nil }
        return String(decoding: image.fields.bytes.array, as: UTF8.self)
    }

    @Test func `a record says what was changed and deleted, with its times`() throws {
        let fixture = try StoreFixture()
        let database = fixture.store.database(try databaseName())
        let made = try fixture.commit(database, [("a/1", "one"), ("a/2", "two"), ("a/gone", "x")])
        try fixture.commit(database, [("a/gone", nil)])
        let subscription = fixture.store.subscribeToBeforeImages(of: database)
        let updated = DocumentChange(
            database: database,
            path: try path("a/1"),
            outcome: .set(fields("ONE"), createTime: made)
        )
        let changes = try [("a/2", nil), ("a/gone", "again"), ("a/new", "new")].map { name, text in
            DocumentChange(
                database: database,
                path: try path(name),
                outcome: text.map { .set(fields($0), createTime: nil) } ?? .delete
            )
        }
        try fixture.commit([updated] + changes)
        let recorded = try self.newestChanges(fixture)
        #expect(recorded.map { self.before($0) } == ["one", "two", nil, nil])
        #expect(recorded.suffix(2).map(\.before) == [.none, .none])
        #expect(recorded.map { $0.change.path.string } == ["a/1", "a/2", "a/gone", "a/new"])
        for change in recorded.prefix(2) {
            guard case .kept(let image) = change.before else { continue }
            #expect(image.createTime == made && image.updateTime == made)
        }
        withExtendedLifetime(subscription) {}
        try fixture.restart()
        let again = fixture.store.database(try databaseName())
        #expect(try fixture.store.text("a/1", in: again) == "ONE")
        #expect(try fixture.store.text("a/2", in: again) == nil)
        #expect(try fixture.store.text("a/gone", in: again) == "again")
    }

    @Test func `a record is as it was after a subscription has ended`() throws {
        let fixture = try StoreFixture()
        let database = fixture.store.database(try databaseName())
        try fixture.commit(database, [("a/1", "one")])
        var subscription: BeforeImageSubscription? = fixture.store.subscribeToBeforeImages(of: database)
        try fixture.commit(database, [("a/1", "two")])
        subscription = nil
        #expect(subscription == nil)
        try fixture.commit(database, [("a/1", nil)])
        #expect(try self.newestChanges(fixture).map(\.before) == [.none])
    }

    @Test func `of a commit to two databases the one that somebody asks for has images, the other none`() throws {
        let fixture = try StoreFixture()
        let database = fixture.store.database(try databaseName())
        let other = fixture.store.database(try databaseName("other"))
        for each in [database, other] { try fixture.commit(each, [("a/1", "one"), ("a/2", "two")]) }
        let subscription = fixture.store.subscribeToBeforeImages(of: database)
        let changes = try [database, other].flatMap { database in
            try [("a/1", "ONE"), ("a/2", nil)].map { name, text in
                DocumentChange(
                    database: database,
                    path: try path(name),
                    outcome: text.map { .set(fields($0), createTime: nil) } ?? .delete
                )
            }
        }
        try fixture.commit(changes)
        let recorded = try self.newestChanges(fixture)
        #expect(recorded.map { self.before($0) } == ["one", "two", nil, nil])
        #expect(recorded.suffix(2).map(\.before) == [.none, .none])
        withExtendedLifetime(subscription) {}
    }

    @Test func `a document that is made over one that is there has the image, and its record can be read`() throws {
        let fixture = try StoreFixture()
        let database = fixture.store.database(try databaseName())
        try fixture.commit(database, [("a/1", "one"), ("a/2", "two")])
        let subscription = fixture.store.subscribeToBeforeImages(of: database)
        try fixture.commit(database, [("a/1", "ONE"), ("a/2", nil)])
        #expect(try self.newestChanges(fixture).map { self.before($0) } == ["one", "two"])
        withExtendedLifetime(subscription) {}
        try fixture.restart()
        let again = fixture.store.database(try databaseName())
        #expect(try fixture.store.text("a/1", in: again) == "ONE")
        #expect(try fixture.store.text("a/2", in: again) == nil)
    }

    @Test func `what would make a record too long is left out of it, which it says`() throws {
        let fixture = try StoreFixture { $0.log.recordBytesMax = 2_000 }
        let database = fixture.store.database(try databaseName())
        let text = String(repeating: "x", count: 900)
        let names = ["a/1", "a/2", "a/3", "a/4", "a/5"]
        var made: [Timestamp] = []
        for name in names { made.append(try fixture.commit(database, [(name, text)])) }
        let subscription = fixture.store.subscribeToBeforeImages(of: database)
        let outcomes: [DocumentChange.Outcome] = [
            .delete, .delete, .delete, .set(fields("4"), createTime: nil), .set(fields("5"), createTime: made[4]),
        ]
        var changes = try zip(names, outcomes).map { name, outcome in
            DocumentChange(database: database, path: try path(name), outcome: outcome)
        }
        let new = DocumentChange(
            database: database,
            path: try path("a/new"),
            outcome: .set(fields("6"), createTime: nil)
        )
        changes.append(new)
        try fixture.commit(changes)
        let recorded = try self.newestChanges(fixture)
        #expect(recorded.prefix(2).map { self.before($0) } == [text, text])
        #expect(recorded.dropFirst(2).map(\.before) == [.leftOut, .leftOut, .leftOut, .none])
        withExtendedLifetime(subscription) {}
        try fixture.restart()
        let again = fixture.store.database(try databaseName())
        #expect(
            try (names + ["a/new"]).map { try fixture.store.text($0, in: again) } == [nil, nil, nil, "4", "5", "6"]
        )
    }

    @Test func `a commit that the log refuses leaves no image behind`() throws {
        let fixture = try StoreFixture { $0.log.recordBytesMax = 500 }
        let database = fixture.store.database(try databaseName())
        try fixture.commit(database, [("a/1", "one")])
        let subscription = fixture.store.subscribeToBeforeImages(of: database)
        let large = String(repeating: "x", count: 600)
        #expect(throws: StoreError.self) { try fixture.commit(database, [("a/1", large)]) }
        try fixture.commit(database, [("a/1", nil)])
        #expect(try self.newestChanges(fixture).map { self.before($0) } == ["one"])
        withExtendedLifetime(subscription) {}
    }
}
