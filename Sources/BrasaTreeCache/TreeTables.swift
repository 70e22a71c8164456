import BrasaCacheFile
import BrasaTree
import BrasaTreeSync

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
    private let statements: TreeStatements

    /// What is counted on from a number in the file never comes to its type's end: a file of ours has no number above this. A
    /// queued write's is damage; targets that have one are forgotten, as they can be asked for again.
    private static let numberMax = Int64.max / 2

    init(_ file: CacheFile) throws(SQLiteError) {
        self.lastUse = try file.integers("SELECT max(used) FROM targets").first ?? 0
        self.pageBytes = Int(try file.integers("PRAGMA page_size").first ?? 4_096)
        self.statements = try TreeStatements(file)
        guard !(0...Self.numberMax).contains(self.lastUse) else { return }
        try file.transaction { () throws(SQLiteError) in try self.forgetAll() }
        self.lastUse = 0
    }

    func apply(_ change: StoredChange) throws(SQLiteError) {
        switch change {
        case .queued(let write):
            try self.statements.addWrite.run(.integer(Int64(write.id)), .blob(write.text))
        case .unqueued(let id): try self.statements.removeWrite.run(.integer(Int64(id)))
        case .used(let target): _ = try self.use(target)
        case .confirmed(let target):
            let id = try self.use(target)
            try self.statements.confirmTarget.run(.integer(id))
        case .closed(let target):
            if self.open[target] != nil { _ = try self.use(target) }
            self.open[target] = nil
        case .forgotten(let target):
            let id = try self.id(of: target)
            self.open[target] = nil
            if let id { try self.forget(id) }
        case .set(let target, let placements):
            let id = try self.use(target)
            try self.statements.confirmTarget.run(.integer(id))
            let rows = NodeRows(target: id, self.statements.nodes)
            for placement in placements { try rows.apply(placement, below: target.path) }
        }
    }

    static func queuedWrites(_ file: CacheFile) throws(SQLiteError) -> [PendingWrite] {
        try file.statement("SELECT id, text FROM writes ORDER BY id").all { row throws(SQLiteError) in
            let id = row.integer(0)
            guard (0...Self.numberMax).contains(id), let text = row.bytesIfStored(1),
                let write = PendingWrite(id: Int(id), text: text)
            else { throw .damaged("a queued write") }
            return write
        }
    }

    // MARK: Targets

    private func use(_ target: TreeTarget) throws(SQLiteError) -> Int64 {
        self.lastUse += 1
        let (path, query) = target.names
        try self.statements.useTarget.run(.blob(path), .blob(query), .integer(self.lastUse))
        guard let id = try self.id(of: target) else {
            throw .damaged("a target")
        }
        self.open[target] = id
        return id
    }

    /// Its rows go by and by.
    private func forget(_ id: Int64) throws(SQLiteError) {
        try self.statements.removeTarget.run(.integer(id))
        try self.statements.addForgotten.run(.integer(id))
    }

    private func id(of target: TreeTarget) throws(SQLiteError) -> Int64? {
        if let id = self.open[target] { return id }
        let (path, query) = target.names
        return try self.statements.target.first(.blob(path), .blob(query)) { $0.integer(1) }
    }

    /// Its own rows, or those of a target that contains it, whichever is later; over them what is known still later of
    /// places below.
    func node(of target: TreeTarget) throws(SQLiteError) -> StoredNode? {
        var newest: (known: Int64, id: Int64, target: TreeTarget)?
        var candidates = (0...target.path.keys.count).map { TreeTarget(TreePath(Array(target.path.keys.prefix($0)))) }
        if target.query != nil { candidates.append(target) }
        for candidate in candidates {
            let (path, query) = candidate.names
            let found = try self.statements.target.first(.blob(path), .blob(query)) { row throws(SQLiteError) in
                guard let known = row.integerIfStored(0) else { throw .damaged("a target") }
                return (known: known, id: row.integer(1))
            }
            if let found, found.known > newest?.known ?? 0 { newest = (found.known, found.id, candidate) }
        }
        guard let newest else { return nil }
        let way = newest.target.path.relative(target.path) ?? .root
        let node = try NodeRows(target: newest.id, self.statements.nodes).node(at: way)
        let later = try self.laterTargets(below: target.path, than: newest.known)
        var whole = node
        for lower in later {
            whole = whole.setting(try NodeRows(target: lower.id, self.statements.nodes).node(at: .root), at: lower.way)
        }
        return StoredNode(whole, own: newest.target == target ? node : nil)
    }

    /// Those of everything, in the order in which the server spoke of them.
    private func laterTargets(
        below path: TreePath,
        than known: Int64
    ) throws(SQLiteError) -> [(way: TreePath, id: Int64)] {
        let name = NodeRows.name(of: path)
        return try self.statements.laterTargets.all(
            .integer(known),
            .blob(name),
            .blob(NodeRows.end(of: name))
        ) { row throws(SQLiteError) in
            guard let text = row.bytesIfStored(0), let way = NodeRows.path(named: Array(text.dropFirst(name.count)))
            else { throw .damaged("a target") }
            return (way, row.integer(1))
        }
    }

    // MARK: Size

    /// Rows that are deleted at a time, so that nobody waits long for it.
    private static let forgottenRowsMax = 10_000

    /// Nothing is kept of any target. Their numbers go on after those that still have rows, or there would be no more once
    /// they have come to their end.
    func forgetAll() throws(SQLiteError) {
        self.open = [:]
        try self.statements.forgetTargets.run()
        try self.statements.removeTargets.run()
        try self.statements.restartTargets.run(.integer(Self.numberMax))
    }

    /// Forgets the target that nobody has listened to for longest, where more is taken than should be. True where rows have
    /// gone.
    func trim(to bytesMax: Int) throws(SQLiteError) -> Bool {
        if try self.deleteForgotten() { return true }
        let pages = try self.number(self.statements.pages)
        let free = try self.number(self.statements.freePages)
        guard pages - free > bytesMax / self.pageBytes else { return false }
        let open = Set(self.open.values)
        let ids = try self.statements.oldestTargets.all(.integer(Int64(open.count + 1))) { $0.integer(0) }
        guard let id = ids.first(where: { !open.contains($0) }) else { return false }
        try self.forget(id)
        return try self.deleteForgotten()
    }

    /// Some rows of a target that is forgotten. False when there is none.
    private func deleteForgotten() throws(SQLiteError) -> Bool {
        guard let id = try self.statements.forgotten.first(read: { $0.integer(0) }) else { return false }
        let rows = try self.statements.removeSomeNodes.run(.integer(id), .integer(Int64(Self.forgottenRowsMax)))
        if rows < Self.forgottenRowsMax { try self.statements.removeForgotten.run(.integer(id)) }
        return true
    }

    private func number(_ statement: TreeStatement) throws(SQLiteError) -> Int {
        try statement.first { Int($0.integer(0)) } ?? 0
    }
}

extension TreeTarget {
    /// As they stand in the table.
    fileprivate var names: (path: [UInt8], query: [UInt8]) {
        (NodeRows.name(of: self.path), self.query?.wire.text ?? [])
    }
}
