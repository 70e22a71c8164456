import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import Testing

@testable import BrasaCache
@testable import BrasaSync
@testable import BrasaSyncSpecification

/// The whole engine on files whose bytes are not those that were written: it answers or says that it cannot, it never
/// traps, and removing the file is a cure.
@Suite(.timeLimit(.minutes(5))) struct EngineDamageTests {
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

    @Test(arguments: [
        "globals", "users", "collections", "documents", "uses", "batches", "batch_documents", "overlays", "targets",
        "target_documents", "forgotten_targets", "bundles", "named_queries", "field_indexes", "field_index_parts",
        "index_progress", "index_entries", "document_changes", "forgotten_parts", "sqlite_sequence",
    ])
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
        let path = try path("c/0")
        let collection = try #require(path.parent)
        func read() throws -> Int {
            let storage = try cache.open()
            defer { storage.close() }
            return try storage.transaction(.executeQuery) { tables throws(StorageError) in
                guard let indexes = tables.indexes else { return 0 }
                return try indexes.documents(in: collection, named: .all, isReversed: isReversed, limit: 10).count
            }
        }
        #expect(try read() > 5)
        let ids = try ["c/1", "c/4"].map { text in
            var key = OrderPreservingKey()
            key.appendID(of: try BrasaSyncSpecification.path(text))
            return key.bytes
        }
        var bytes = whole
        for (id, other) in [(ids[0], ids[1]), (ids[1], ids[0])] {
            for place in whole.ranges(of: id) { bytes.replaceSubrange(place, with: other) }
        }
        try cache.write(bytes)
        let error = #expect(throws: StorageError.self) { try read() }
        #expect(error?.isDamage == true)
        try Self.live(on: cache)
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
