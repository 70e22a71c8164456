import BrasaCacheFile

typealias TreeStatement = CacheStatement<SQLiteError>

/// What is asked of `TreeTables`' file, compiled once.
struct TreeStatements {
    let addWrite, removeWrite: TreeStatement
    let useTarget, confirmTarget, removeTarget, addForgotten, target, laterTargets: TreeStatement
    let forgetTargets, removeTargets, restartTargets, oldestTargets, forgotten, removeForgotten: TreeStatement
    let removeSomeNodes, pages, freePages: TreeStatement
    let nodes: NodeStatements

    init(_ file: CacheFile) throws(SQLiteError) {
        self.addWrite = try file.statement("INSERT INTO writes VALUES (?, ?)")
        self.removeWrite = try file.statement("DELETE FROM writes WHERE id = ?")
        self.useTarget = try file.statement(
            """
            INSERT INTO targets (path, query, known, used) VALUES (?1, ?2, ?3, ?3)
            ON CONFLICT (path, query) DO UPDATE SET used = excluded.used
            """
        )
        self.confirmTarget = try file.statement("UPDATE targets SET known = used WHERE id = ?")
        self.removeTarget = try file.statement("DELETE FROM targets WHERE id = ?")
        self.addForgotten = try file.statement("INSERT INTO forgotten_targets VALUES (?)")
        self.target = try file.statement("SELECT known, id FROM targets WHERE path = ? AND query = ?")
        self.laterTargets = try file.statement(
            "SELECT path, id FROM targets WHERE known > ? AND path > ? AND path < ? AND query = x'' ORDER BY known"
        )
        self.forgetTargets = try file.statement("INSERT OR IGNORE INTO forgotten_targets SELECT id FROM targets")
        self.removeTargets = try file.statement("DELETE FROM targets")
        self.restartTargets = try file.statement(
            """
            UPDATE sqlite_sequence SET seq = (
                SELECT max(id) FROM (
                    SELECT 0 AS id
                    UNION ALL SELECT max(id) FROM forgotten_targets WHERE id <= ?1
                    UNION ALL SELECT max(target) FROM nodes WHERE target <= ?1
                )
            ) WHERE name = 'targets'
            """
        )
        self.oldestTargets = try file.statement("SELECT id FROM targets ORDER BY used LIMIT ?")
        self.forgotten = try file.statement("SELECT id FROM forgotten_targets LIMIT 1")
        self.removeForgotten = try file.statement("DELETE FROM forgotten_targets WHERE id = ?")
        self.removeSomeNodes = try file.statement(
            """
            DELETE FROM nodes WHERE target = ?1 AND path IN
                (SELECT path FROM nodes WHERE target = ?1 ORDER BY path LIMIT ?2)
            """
        )
        self.pages = try file.statement("PRAGMA page_count")
        self.freePages = try file.statement("PRAGMA freelist_count")
        self.nodes = try NodeStatements(file)
    }
}

/// What is asked of one target's rows.
struct NodeStatements {
    let get, set, remove, removeBelow, removeLonePriority: TreeStatement

    init(_ file: CacheFile) throws(SQLiteError) {
        self.get = try file.statement(
            "SELECT path, value FROM nodes WHERE target = ? AND path >= ? AND path < ? ORDER BY path"
        )
        self.set = try file.statement("INSERT OR REPLACE INTO nodes VALUES (?, ?, ?)")
        self.remove = try file.statement("DELETE FROM nodes WHERE target = ? AND path = ?")
        self.removeBelow = try file.statement("DELETE FROM nodes WHERE target = ? AND path >= ? AND path < ?")
        self.removeLonePriority = try file.statement(
            """
            DELETE FROM nodes WHERE target = ?1 AND path = ?2 AND NOT EXISTS
                (SELECT 1 FROM nodes WHERE target = ?1 AND path >= ?3 AND path < ?4 AND path <> ?2)
            """
        )
    }
}
