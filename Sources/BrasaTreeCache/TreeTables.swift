import BrasaTree
import BrasaTreeSync
import Foundation
import GRDB

/// The tables of a client's cache. A target has rows of its own, also where another's place contains it: the server is asked
/// for one of them only, and the newer counts. See docs/client-tree.md.
final class TreeTables {
    /// Marks our files: "BrTr".
    static let applicationID = 0x4272_5472
    static let steps = [
        """
        PRAGMA application_id = \(TreeTables.applicationID);

        CREATE TABLE writes (id INTEGER PRIMARY KEY, text BLOB NOT NULL);
        CREATE TABLE targets (
            id INTEGER PRIMARY KEY AUTOINCREMENT, path BLOB NOT NULL, query BLOB NOT NULL, known INTEGER NOT NULL,
            used INTEGER NOT NULL, UNIQUE (path, query)
        );
        CREATE INDEX targets_by_use ON targets (used);
        CREATE TABLE forgotten_targets (id INTEGER PRIMARY KEY);
        CREATE TABLE nodes (
            target INTEGER NOT NULL, path BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY (target, path)
        ) WITHOUT ROWID;
        """
    ]

    /// Those that are listened to. As of a transaction that failed it may have some more: nothing of them is there.
    private var open: [TreeTarget: Int64] = [:]
    /// Counts changes and uses of targets. As `known` of a target: when the server last said something of it, so that of two that
    /// contain a place the later knows more of it. As `used`: when somebody last began or ended to listen, or was told.
    private var lastUse: Int64
    private let pageBytes: Int

    init(_ database: Database) throws {
        self.lastUse = try Int64.fetchOne(database, sql: "SELECT max(used) FROM targets") ?? 0
        self.pageBytes = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4_096
    }

    func apply(_ change: StoredChange, _ database: Database) throws {
        switch change {
        case .queued(let write):
            try Self.run("INSERT INTO writes VALUES (?, ?)", [write.id, Data(write.text)], database)
        case .unqueued(let id): try Self.run("DELETE FROM writes WHERE id = ?", [id], database)
        case .used(let target): _ = try self.use(target, database)
        case .confirmed(let target):
            let id = try self.use(target, database)
            try Self.run("UPDATE targets SET known = used WHERE id = ?", [id], database)
        case .closed(let target):
            if self.open[target] != nil { _ = try self.use(target, database) }
            self.open[target] = nil
        case .forgotten(let target):
            let id = try self.id(of: target, database)
            self.open[target] = nil
            if let id { try Self.forget(id, database) }
        case .set(let target, let placements):
            let id = try self.use(target, database)
            try Self.run("UPDATE targets SET known = used WHERE id = ?", [id], database)
            let rows = NodeRows(target: id, database)
            for placement in placements { try rows.apply(placement, below: target.path) }
        }
    }

    static func queuedWrites(_ database: Database) throws -> [PendingWrite] {
        try Row.fetchAll(database, sql: "SELECT id, text FROM writes ORDER BY id").map { row in
            guard let id = Int.fromDatabaseValue(row[0]), let text = Data.fromDatabaseValue(row[1]),
                let write = PendingWrite(id: id, text: [UInt8](text))
            else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a queued write") }
            return write
        }
    }

    // MARK: Targets

    private func use(_ target: TreeTarget, _ database: Database) throws -> Int64 {
        self.lastUse += 1
        let (path, query) = target.names
        try Self.run(
            """
            INSERT INTO targets (path, query, known, used) VALUES (?1, ?2, ?3, ?3)
            ON CONFLICT (path, query) DO UPDATE SET used = excluded.used
            """,
            [path, query, self.lastUse],
            database
        )
        guard let id = try self.id(of: target, database) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a target")
        }
        self.open[target] = id
        return id
    }

    /// Its rows go by and by.
    private static func forget(_ id: Int64, _ database: Database) throws {
        try self.run("DELETE FROM targets WHERE id = ?", [id], database)
        try self.run("INSERT INTO forgotten_targets VALUES (?)", [id], database)
    }

    private func id(of target: TreeTarget, _ database: Database) throws -> Int64? {
        if let id = self.open[target] { return id }
        let (path, query) = target.names
        let sql = "SELECT id FROM targets WHERE path = ? AND query = ?"
        return try Int64.fetchOne(try database.cachedStatement(sql: sql), arguments: [path, query])
    }

    /// Its own rows, or those of a target that contains it, whichever is later; over them what is known still later of
    /// places below.
    func node(of target: TreeTarget, _ database: Database) throws -> StoredNode? {
        var newest: (known: Int64, id: Int64, target: TreeTarget)?
        var candidates = (0...target.path.keys.count).map { TreeTarget(TreePath(Array(target.path.keys.prefix($0)))) }
        if target.query != nil { candidates.append(target) }
        let statement = try database.cachedStatement(sql: "SELECT known, id FROM targets WHERE path = ? AND query = ?")
        for candidate in candidates {
            let (path, query) = candidate.names
            guard let row = try Row.fetchOne(statement, arguments: [path, query]) else { continue }
            guard let known = Int64.fromDatabaseValue(row[0]), let id = Int64.fromDatabaseValue(row[1]) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a target")
            }
            if known > newest?.known ?? 0 { newest = (known, id, candidate) }
        }
        guard let newest else { return nil }
        let way = newest.target.path.relative(target.path) ?? .root
        let node = try NodeRows(target: newest.id, database).node(at: way)
        let later = try self.laterTargets(below: target.path, than: newest.known, database)
        let whole = try later.reduce(node) { node, lower in
            node.setting(try NodeRows(target: lower.id, database).node(at: .root), at: lower.way)
        }
        return StoredNode(whole, own: newest.target == target ? node : nil)
    }

    /// Those of everything, in the order in which the server spoke of them.
    private func laterTargets(
        below path: TreePath,
        than known: Int64,
        _ database: Database
    ) throws -> [(way: TreePath, id: Int64)] {
        let name = NodeRows.name(of: path)
        let statement = try database.cachedStatement(
            sql: "SELECT path, id FROM targets WHERE known > ? AND path > ? AND path < ? AND query = x'' ORDER BY known"
        )
        let rows = try Row.fetchAll(statement, arguments: [known, Data(name), NodeRows.end(of: name)])
        return try rows.map { row in
            guard let text = Data.fromDatabaseValue(row[0]), let id = Int64.fromDatabaseValue(row[1]),
                let way = NodeRows.path(named: [UInt8](text.dropFirst(name.count)))
            else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a target") }
            return (way, id)
        }
    }

    // MARK: Size

    /// Rows that are deleted at a time, so that nobody waits long for it.
    private static let forgottenRowsMax = 10_000

    /// Nothing is kept of any target.
    func forgetAll(_ database: Database) throws {
        self.open = [:]
        try Self.run("INSERT INTO forgotten_targets SELECT id FROM targets", [], database)
        try Self.run("DELETE FROM targets", [], database)
    }

    /// Forgets the target that nobody has listened to for longest, where more is taken than should be. True where rows have
    /// gone.
    func trim(to bytesMax: Int, _ database: Database) throws -> Bool {
        if try self.deleteForgotten(database) { return true }
        let pages = try Int.fetchOne(try database.cachedStatement(sql: "PRAGMA page_count")) ?? 0
        let free = try Int.fetchOne(try database.cachedStatement(sql: "PRAGMA freelist_count")) ?? 0
        guard pages - free > bytesMax / self.pageBytes else { return false }
        let open = Set(self.open.values)
        let oldest = try database.cachedStatement(sql: "SELECT id FROM targets ORDER BY used LIMIT ?")
        let ids = try Int64.fetchAll(oldest, arguments: [open.count + 1])
        guard let id = ids.first(where: { !open.contains($0) }) else { return false }
        try Self.forget(id, database)
        return try self.deleteForgotten(database)
    }

    /// Some rows of a target that is forgotten. False when there is none.
    private func deleteForgotten(_ database: Database) throws -> Bool {
        let sql = "SELECT id FROM forgotten_targets LIMIT 1"
        guard let id = try Int64.fetchOne(try database.cachedStatement(sql: sql)) else { return false }
        try Self.run(
            """
            DELETE FROM nodes WHERE target = ?1 AND path IN
                (SELECT path FROM nodes WHERE target = ?1 ORDER BY path LIMIT \(Self.forgottenRowsMax))
            """,
            [id],
            database
        )
        if database.changesCount < Self.forgottenRowsMax {
            try Self.run("DELETE FROM forgotten_targets WHERE id = ?", [id], database)
        }
        return true
    }

    private static func run(_ sql: String, _ arguments: StatementArguments, _ database: Database) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension TreeTarget {
    /// As they stand in the table.
    fileprivate var names: (path: Data, query: Data) {
        (Data(NodeRows.name(of: self.path)), self.query.map { Data($0.wire.text) } ?? Data())
    }
}
