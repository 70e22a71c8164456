import BrasaCacheFile
import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import Testing

@testable import BrasaCache
@testable import BrasaSync
@testable import BrasaSyncSpecification

/// The whole engine on files whose bytes are not those that were written: it answers or says that it cannot, it never
/// traps, and removing the file is a cure.
@Suite(.timeLimit(.minutes(10))) struct EngineDamageTests {
    private static func filled() throws -> (cache: DamagedCache, bytes: [UInt8]) {
        let cache = try DamagedCache()
        try cache.fill()
        return (cache, try cache.read())
    }

    @Test(arguments: 0..<16 as Range<UInt64>) func `A client lives with flipped bytes`(_ seed: UInt64) throws {
        let (cache, whole) = try Self.filled()
        var dice = SeededRandom(seed: seed)
        for round in 0..<3 {
            var bytes = whole
            for _ in 0..<(1 << dice.below(4 * round + 1)) {
                // Half of them in the used parts: pages are filled from both ends.
                let page = dice.below(bytes.count / 4096) * 4096
                let ends = [dice.below(64), 4095 - dice.below(600)]
                bytes[page + (dice.chance(2) ? dice.below(4096) : dice.pick(ends))] = UInt8(dice.below(256))
            }
            try cache.write(bytes)
            try Self.live(on: cache)
        }
        try cache.remove()
        #expect(try cache.live() == [])
    }

    private static func live(on cache: DamagedCache) throws {
        do {
            #expect(try cache.live().subtracting(["unavailable"]) == [])
        } catch let error as DiskStorageError {
            #expect(error.code != .inUse && error.code != .diskFull)
        }
    }

    private static let tables = [
        "globals", "users", "collections", "documents", "uses", "batches", "batch_documents", "overlays", "targets",
        "target_documents", "forgotten_targets", "bundles", "named_queries", "field_indexes", "field_index_parts",
        "index_progress", "index_entries", "document_changes", "forgotten_parts", "sqlite_sequence",
    ]

    @Test func `No table is left out`() throws {
        let (cache, _) = try Self.filled()
        #expect(try cache.columns().map(\.table).sorted() == Self.tables.sorted())
    }

    @Test(arguments: Self.tables)
    func `A client lives with anything in any column`(_ table: String) throws {
        let (cache, whole) = try Self.filled()
        let columns = try #require(cache.columns().first { $0.table == table }).columns
        for column in columns {
            let half = "CAST(substr(\(column), 1, length(\(column)) / 2) AS BLOB)"
            let integers = ["-9223372036854775808", "9223372036854775807", "-1"]
            for value in integers + ["x''", "x'FFFF'", half, "NULL"] {
                try cache.write(whole)
                guard try cache.change("UPDATE OR IGNORE \(table) SET \(column) = \(value)") else { continue }
                try Self.live(on: cache)
            }
        }
        try cache.remove()
        #expect(try cache.live() == [])
    }

    /// SQLite does not notice that keys of a page are out of order; whoever goes on behind the last must not go in circles.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `A client comes to an end though keys are out of order`(_ seed: UInt64) throws {
        let (cache, whole) = try Self.filled()
        let keys = try cache.blobs("SELECT key FROM index_entries UNION SELECT id FROM documents")
        #expect(keys.count > 20)
        var dice = SeededRandom(seed: seed)
        for _ in 0..<30 {
            let key = dice.pick(keys)
            let places = whole.ranges(of: key)
            guard !places.isEmpty else { continue }
            var bytes = whole
            // What another key has there, or more than any has.
            let index = dice.below(key.count)
            let other = dice.pick(keys.filter { $0.count > index })
            bytes[dice.pick(places).lowerBound + index] = dice.chance(2) ? other[index] : 0xF0
            try cache.write(bytes)
            try Self.live(on: cache)
        }
    }

    /// Else a page's last key could lead back to where the page began.
    @Test(arguments: [false, true])
    func `Keys that are out of order in a page are damage`(_ isReversed: Bool) throws {
        let (cache, whole) = try Self.filled()
        let collection = try #require(path("c/0").parent)
        func read(_ count: (any IndexTables) throws(StorageError) -> Int) throws -> Int {
            let storage = try cache.open()
            defer { storage.close() }
            return try storage.transaction(.executeQuery) { tables throws(StorageError) in
                guard let indexes = tables.indexes else { return 0 }
                return try count(indexes)
            }
        }
        func documents(_ indexes: any IndexTables) throws(StorageError) -> Int {
            try indexes.documents(in: collection, named: .all, isReversed: isReversed, limit: 10).count
        }
        func entries(_ indexes: any IndexTables) throws(StorageError) -> Int {
            guard let index = try indexes.fieldIndexes().first else { return 0 }
            let user = SyncUser.signedOut
            return try indexes.entries(of: index.id, for: user, in: .all, isReversed: isReversed, limit: 10).count
        }
        #expect(try read(documents) > 5)
        #expect(try read(entries) > 5)
        let ids = try cache.blobs("SELECT id FROM documents WHERE collection = 1 ORDER BY id LIMIT 5")
        let keys = try cache.blobs("SELECT key FROM index_entries WHERE owner = 1 ORDER BY key LIMIT 5")
        for (keys, read) in [(ids, { try read(documents) }), (keys, { try read(entries) })] {
            let (first, last) = (try #require(keys.first), try #require(keys.last))
            try #require(first.count == last.count && keys.count == 5)
            var bytes = whole
            for (old, new) in [(first, last), (last, first)] {
                for place in whole.ranges(of: old) { bytes.replaceSubrange(place, with: new) }
            }
            try cache.write(bytes)
            let error = #expect(throws: StorageError.self) { try read() }
            #expect(error?.isDamage == true)
            try Self.live(on: cache)
        }
    }

    @Test func `Forgotten parts that are damaged hold nothing up, and free nothing that is in use`() throws {
        let (cache, _) = try Self.filled()
        func backfill() throws {
            let storage = try cache.open()
            let local = LocalStore(storage: storage, user: .signedOut)
            while case .more = try local.backfillIndexes() {}
            storage.close()
        }
        try backfill()
        #expect(try cache.change("DELETE FROM index_progress WHERE number != (SELECT max(number) FROM index_progress)"))
        #expect(try cache.change("INSERT OR IGNORE INTO forgotten_parts VALUES (1), (2), (3)"))
        let used = try #require(cache.integers("SELECT max(number) FROM index_progress").first)
        #expect((4...127).contains(used))
        // A row of nothing but its number.
        var bytes = try cache.read()
        let rows = bytes.ranges(of: [2, 1, 2, 0])
        #expect(!rows.isEmpty)
        for row in rows { bytes[row.lowerBound + 1] = UInt8(used) }
        try cache.write(bytes)
        #expect(try cache.integers("SELECT number FROM forgotten_parts LIMIT 1") == [used])
        let count = "SELECT count(*) FROM index_entries WHERE owner = \(used)"
        let before = try cache.integers(count)
        try backfill()
        #expect(before != [0])
        #expect(try cache.integers(count) == before)
    }

    /// Files have no checksums: a number or a field that is another is not noticed. What can be told is.
    @Test(arguments: [
        ("documents", "kind", "7", "document c/0"), ("documents", "kind", "-1", "document d/0"),
        ("documents", "version", "-9223372036854775808", "document c/0"),
        ("documents", "read_time", "9223372036854775807", "document c/0"),
        ("batches", "writes", "x''", "batches of nobody"), ("batches", "writes", "x'FFFF'", "batches of ada"),
        ("batches", "writes", "CAST(substr(writes, 2) AS BLOB)", "batches of ada"),
        ("batches", "base_writes", "x'FFFF'", "batches of nobody"),
        ("batches", "local_write_time", "9223372036854775807", "batches of nobody"),
        ("overlays", "kind", "7", "overlay c/2 of ada"), ("overlays", "paths", "x'FFFF'", "overlay c/2 of ada"),
        ("users", "write_stream", "x'FFFF'", "stream of ada"),
        ("targets", "snapshot_version", "-9223372036854775808", "target 0"),
        ("targets", "limbo_free_version", "9223372036854775807", "target 0"),
        ("target_documents", "id", "x'FFFF'", "target 0"), ("target_documents", "collection", "77", "target 0"),
        ("named_queries", "target", "x'FFFF'", "query"), ("named_queries", "read_time", "9223372036854775807", "query"),
        ("bundles", "create_time", "-9223372036854775808", "bundle"),
        ("globals", "value", "9223372036854775807", "version"),
    ])
    func `Damage that can be told from what was written is told`(
        _ table: String,
        _ column: String,
        _ value: String,
        _ label: String
    ) throws {
        let (cache, _) = try Self.filled()
        #expect(try cache.contents()[label] != nil)
        #expect(try cache.change("UPDATE OR IGNORE \(table) SET \(column) = \(value)"))
        #expect(try cache.contents()[label] == nil)
        try Self.live(on: cache)
    }
}
