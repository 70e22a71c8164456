import BrasaCacheFile
import BrasaTree
import BrasaTreeSync
import Testing

@testable import BrasaTreeCache

/// A whole client on files in which something else stands than was written: it lives with it, or the file is refused, and
/// nothing traps.
@Suite("Damaged caches") struct DamageTests {
    private static let tables = ["writes", "targets", "forgotten_targets", "nodes", "sqlite_sequence"]

    /// Targets above one another, a query, one that is forgotten and two queued writes.
    private static func filled() throws -> CacheForTest {
        let cache = try CacheForTest()
        let (upper, lower) = (TreeTarget(try path("a")), TreeTarget(try path("a/b")))
        let query = try TreeTarget(path("q"), TreeQuery(order: .key, limit: .init(1, .first)))
        let writes = try ["a/b", "q/x"].enumerated().map { id, place in
            let template = try TreeTemplate(parsing: Array(#"{".sv":{"increment":1}}"#.utf8))
            let write = try TreeWrite.set(template, at: TreeLocation(place))
            return PendingWrite(id: id, write: write, change: write.workedOut(in: .absent, 0), isShown: true)
        }
        cache.storage?.apply(writes.map { .queued($0) })
        cache.apply(.set(TreeTarget(.root), [try placement("", #"{"z":1}"#)]))
        cache.apply(.set(upper, [try placement("a", #"{"b":{".priority":1,".value":2},"c":{"d":"x"}}"#)]))
        cache.apply(.set(lower, [try placement("a/b", "3")]), .set(query, [try placement("q", #"{"x":1}"#)]))
        cache.close()
        try Self.execute("INSERT INTO forgotten_targets VALUES (77)", on: cache)
        return cache
    }

    private static func execute(_ sql: String, on cache: CacheForTest) throws {
        try CacheFile(cache.file).execute(sql)
    }

    private static func names(_ sql: String, of cache: CacheForTest) throws -> [String] {
        try CacheFile(cache.file).statement(sql).all { String(decoding: $0.bytes(0), as: UTF8.self) }
    }

    /// What a client does that finds it: false when it is refused.
    private static func live(on cache: CacheForTest) throws -> Bool {
        let storage: TreeDiskStorage
        do throws(DiskStorageError) {
            storage = try TreeDiskStorage(folder: cache.folder, bytesMax: 1 << 10, log: { _ in })
        } catch {
            #expect(error.code == .damaged)
            return false
        }
        try self.live(on: storage)
        return true
    }

    private static func live(on storage: TreeDiskStorage) throws {
        var engine = TreeSyncEngine(isStored: true)
        storage.apply(engine.restore(storage.queuedWrites()).stored)
        for text in ["a", "a/b", "a/c", "q", ""] {
            let place = try path(text)
            for query in try [TreeQuery.all, TreeQuery(order: .key, limit: .init(1, .first))] {
                let stored = storage.node(of: TreeTarget(place, query))
                let (listener, effects) = engine.listen(query, at: place, stored: stored)
                storage.apply(effects.stored)
                let placement = TreeChange.Placement(location: TreeLocation(place), node: try node(#"{"b":5,"x":6}"#))
                let push = TreeChange(path: place, isUpdate: false, placements: [placement])
                storage.apply(engine.receive(push, milliseconds: 0).stored)
                storage.apply(engine.unlisten(listener).stored)
            }
            let write = try TreeWrite.set(TreeTemplate(.leaf(.integer(1))), at: TreeLocation(place))
            let (id, effects) = engine.write(write, milliseconds: 0)
            storage.apply(effects.stored)
            storage.apply(engine.answerWrite(id, isDone: true).stored)
        }
        for write in engine.unansweredWrites { storage.apply(engine.answerWrite(write.id, isDone: false).stored) }
    }

    @Test("No table is left out")
    func everyTable() throws {
        let cache = try Self.filled()
        #expect(
            try Self.names("SELECT name FROM sqlite_schema WHERE type = 'table'", of: cache).sorted()
                == Self.tables.sorted()
        )
        #expect(try Self.live(on: cache))
    }

    @Test("A client lives with anything in any column, or the file is refused", arguments: Self.tables)
    func anyColumn(_ table: String) throws {
        let columns = try Self.names("SELECT name FROM pragma_table_info('\(table)')", of: Self.filled())
        #expect(!columns.isEmpty)
        for column in columns {
            let half = "CAST(substr(\(column), 1, length(\(column)) / 2) AS BLOB)"
            let integers = ["-9223372036854775808", "9223372036854775807", "-1"]
            for value in integers + ["x''", "x'FFFF'", "'9e99'", "9e99", half, "NULL"] {
                let cache = try Self.filled()
                let change = "UPDATE OR IGNORE \(table) SET \(column) = \(value)"
                // What the table's own rules let through.
                guard (try? Self.execute(change, on: cache)) != nil else { continue }
                _ = try Self.live(on: cache)
            }
        }
    }

    @Test("A queued write's number that leaves no room for those that follow is damage")
    func noRoomForWrites() throws {
        let cache = try Self.filled()
        try Self.execute("UPDATE OR IGNORE writes SET id = 9223372036854775807", on: cache)
        #expect(try !Self.live(on: cache))
    }

    @Test(
        "Where uses cannot be counted on, targets are forgotten, and queued writes stay",
        arguments: ["9223372036854775807", "-1"]
    )
    func noRoomForUses(_ used: String) throws {
        let cache = try Self.filled()
        try Self.execute("UPDATE targets SET used = \(used)", on: cache)
        let target = TreeTarget(try path("a"))
        try cache.open()
        #expect(cache.storage?.queuedWrites().count == 2)
        #expect(cache.node(target) == nil)
        cache.apply(.set(target, [try placement("a", "5")]))
        try cache.open()
        #expect(exported(cache.node(target)?.node) == "5")
        #expect(cache.faults.all.isEmpty)
    }

    @Test(
        "Where no number is left for another target, those that there are go, once",
        arguments: [
            "UPDATE sqlite_sequence SET seq = 9223372036854775807",
            "UPDATE targets SET id = 9223372036854775807 WHERE path = x'61006200'",
        ]
    )
    func noRoomForTargets(_ sql: String) throws {
        let cache = try Self.filled()
        try Self.execute(sql, on: cache)
        let target = TreeTarget(try path("new"))
        for expected in [nil, "1"] {
            try cache.open()
            cache.apply(.set(target, [try placement("new", "1")]))
            #expect(exported(cache.node(target)?.node) == expected)
            #expect(cache.storage?.queuedWrites().count == 2)
        }
        #expect(cache.faults.all.count == 1)
    }

    @Test("A path that is longer than any is damage: who walks it would need as much of the stack")
    func deepPath() throws {
        let cache = try Self.filled()
        let deep = String(repeating: "6100", count: 200_000)
        try Self.execute("UPDATE targets SET path = x'\(deep)' WHERE path = x'61006200'", on: cache)
        try cache.open()
        #expect(cache.node(TreeTarget(.root)) == nil)
        #expect(cache.faults.all.count == 1)
    }
}
