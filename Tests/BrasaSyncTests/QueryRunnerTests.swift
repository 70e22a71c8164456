import BrasaDocuments
import BrasaQueries
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

/// A run that starts from the last result looks only at what is newer. What it did not look at is told by documents that
/// match, are older and are not in that result: no real cache has such.
@Suite struct QueryRunnerTests {
    private let storage = MemoryStorage(collector: .leastRecentlyUsed)

    private func store(_ text: String, read: Int64, _ values: [String: Value]) throws {
        var document = try document(text, read, values)
        document.readTime = Timestamp(microseconds: read)
        try self.storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in
            try tables.setDocument(document)
        }
    }

    private func overlay(_ text: String, _ overlay: Overlay) throws {
        let path = try path(text)
        try self.storage.transaction(.writeLocally) { tables throws(StorageError) in
            try tables.setOverlay(StoredOverlay(batchID: 1, overlay: overlay), at: path, of: .signedOut)
        }
    }

    private func run(_ query: SyncQuery, _ keys: [String], since version: Int64) throws -> [String] {
        let keys = Set(try keys.map { try path($0) })
        return try self.storage.transaction(.executeQuery) { tables throws(StorageError) in
            try QueryRunner(tables: tables, user: .signedOut).run(
                query,
                lastLimboFreeVersion: Timestamp(microseconds: version),
                remoteKeys: keys
            ).documents.keys.map(\.string).sorted()
        }
    }

    private func query(limit: Int32? = nil, _ limitType: SyncQuery.LimitType = .first) throws -> SyncQuery {
        let filter = StructuredQuery.Filter.field(try field("n"), .greaterThan, .integer(0))
        return try collection("c", filter: filter, limit: limit, limitType: limitType)
    }

    @Test func `A run from the last result adds what is newer`() throws {
        try self.store("c/old", read: 5, ["n": .integer(1)])
        try self.store("c/kept", read: 5, ["n": .integer(2)])
        try self.store("c/new", read: 11, ["n": .integer(3)])
        try self.store("c/other", read: 11, ["n": .integer(0)])
        #expect(try self.run(self.query(), ["c/kept"], since: 10) == ["c/kept", "c/new"])
        #expect(try self.run(self.query(), ["c/kept"], since: 0) == ["c/kept", "c/new", "c/old"])
        // What asks for everything is not made faster by looking at it twice.
        #expect(try self.run(collection("c"), ["c/kept"], since: 10).count == 4)
    }

    @Test func `A limit whose result has gaps makes the run look at everything`() throws {
        try self.store("c/old", read: 5, ["n": .integer(9)])
        try self.store("c/a", read: 5, ["n": .integer(1)])
        try self.store("c/b", read: 5, ["n": .integer(2)])
        let keys = ["c/a", "c/b"]
        #expect(try self.run(self.query(limit: 2), keys, since: 10) == keys)
        // The server's result was longer.
        #expect(try self.run(self.query(limit: 2), keys + ["c/gone"], since: 10) == keys + ["c/old"])
        // The last one may have moved behind others.
        try self.overlay("c/b", .patch(fields(["n": .integer(20)]), paths: [field("n")]))
        #expect(try self.run(self.query(limit: 2), keys, since: 10) == keys + ["c/old"])
        // Which is of no matter for those who keep the other end.
        #expect(try self.run(self.query(limit: 2, .last), keys, since: 10) == keys)
        try self.store("c/a", read: 11, ["n": .integer(1)])
        #expect(try self.run(self.query(limit: 2, .last), keys, since: 10) == keys + ["c/old"])
    }

    @Test func `A patch of a document that was not looked at is shown on all of it`() throws {
        try self.store("c/a", read: 5, ["n": .integer(0), "m": .integer(7)])
        try self.overlay("c/a", .patch(fields(["n": .integer(1)]), paths: [field("n")]))
        let query = try self.query()
        let found = try self.storage.transaction(.executeQuery) { tables throws(StorageError) in
            try QueryRunner(tables: tables, user: .signedOut).run(
                query,
                lastLimboFreeVersion: Timestamp(microseconds: 10),
                remoteKeys: []
            ).documents
        }
        #expect(found.values.map(\.fields) == [fields(["n": .integer(1), "m": .integer(7)])])
    }

    @Test func `A collection group is every collection of that id`() throws {
        for text in ["c/a", "x/y/c/b", "d/a"] { try self.store(text, read: 5, ["n": .integer(1)]) }
        var group = StructuredQuery()
        group.from = [StructuredQuery.CollectionSelector(collectionID: "c", allDescendants: true)]
        let query = try SyncQuery(group, parent: .root, database: SpecModel.database())
        #expect(try self.run(query, [], since: 0) == ["c/a", "x/y/c/b"])
        let below = try SyncQuery(group, parent: path("x/y"), database: SpecModel.database())
        #expect(try self.run(below, [], since: 0) == ["x/y/c/b"])
    }
}
