import BrasaCacheFile
import BrasaTree

/// The rows of one target: a leaf each, and each priority. Named by the way there, a zero after each key, so that what is
/// beneath a node is side by side; a priority by its node's name and a dot. Neither is ever in a key.
struct NodeRows {
    private let target: Int64
    private let statements: NodeStatements

    private static let keyEnd: UInt8 = 0
    private static let priorityMark = UInt8(ascii: ".")

    init(target: Int64, _ statements: NodeStatements) {
        (self.target, self.statements) = (target, statements)
    }

    static func name(of path: TreePath) -> [UInt8] {
        path.keys.reduce(into: []) { $0 += $1.utf8 + [Self.keyEnd] }
    }

    /// Nil for what is no name of a node.
    static func path(named name: [UInt8]) -> TreePath? {
        let names = name.split(separator: Self.keyEnd)
        guard names.count <= TreeLimits.levelsMax else { return nil }
        let keys = names.map {
            try? TreeKey(TreeText(String(decoding: $0, as: UTF8.self)))
        }
        return keys.contains { $0 == nil } ? nil : TreePath(keys.compactMap { $0 })
    }

    /// At the target's path or below it.
    func apply(_ placement: TreeChange.Placement, below path: TreePath) throws(SQLiteError) {
        guard let way = path.relative(placement.location.path) else { return }
        let name = Self.name(of: way)
        if placement.location.isPriority {
            try self.set(name + [Self.priorityMark], placement.node.scalar)
            try self.forgetEmptied([way])
        } else {
            try self.replace(name, way, with: placement.node)
        }
    }

    private func replace(_ name: [UInt8], _ way: TreePath, with node: TreeNode) throws(SQLiteError) {
        try self.statements.removeBelow.run(.integer(self.target), .blob(name), .blob(Self.end(of: name)))
        let above = (0..<way.keys.count).map { TreePath(Array(way.keys.prefix($0))) }
        if node.isAbsent { return try self.forgetEmptied(above.reversed()) }
        // A leaf above has children now.
        for path in above { try self.set(Self.name(of: path), nil) }
        var name = name
        try self.insert(node, &name)
    }

    /// Recursive, as deep as nodes may be.
    private func insert(_ node: TreeNode, _ name: inout [UInt8]) throws(SQLiteError) {
        if let priority = node.priority.scalar { try self.set(name + [Self.priorityMark], priority) }
        if let scalar = node.scalar { return try self.set(name, scalar) }
        for (key, child) in node.children {
            let count = name.count
            name += key.utf8 + [Self.keyEnd]
            try self.insert(child, &name)
            name.removeSubrange(count...)
        }
    }

    private func set(_ name: [UInt8], _ scalar: TreeScalar?) throws(SQLiteError) {
        guard let scalar else {
            try self.statements.remove.run(.integer(self.target), .blob(name))
            return
        }
        let text = TreeNode(scalar).json(.export).text
        try self.statements.set.run(.integer(self.target), .blob(name), .blob(text))
    }

    /// What has nothing but a priority is not there.
    /// - Parameter paths: the lower before the upper.
    private func forgetEmptied(_ paths: [TreePath]) throws(SQLiteError) {
        for path in paths {
            let name = Self.name(of: path)
            try self.statements.removeLonePriority.run(
                .integer(self.target),
                .blob(name + [Self.priorityMark]),
                .blob(name),
                .blob(Self.end(of: name))
            )
        }
    }

    /// What is at a place.
    func node(at way: TreePath) throws(SQLiteError) -> TreeNode {
        let name = Self.name(of: way)
        var assembler = RowAssembler()
        try self.statements.get.forEach(
            .integer(self.target),
            .blob(name),
            .blob(Self.end(of: name))
        ) { row throws(SQLiteError) in
            guard let path = row.bytesIfStored(0), let text = row.bytesIfStored(1),
                assembler.add(path.dropFirst(name.count), text)
            else { throw .damaged("a node") }
        }
        guard let node = assembler.finish() else {
            throw .damaged("a node")
        }
        return node
    }

    /// After all that begins with the name: no key has this byte.
    static func end(of name: [UInt8]) -> [UInt8] { name + [0xFF] }
}

/// Makes a node of its rows in the order of their names.
private struct RowAssembler {
    private struct Level {
        let key: ArraySlice<UInt8>
        var scalar: TreeScalar?
        var priority = TreePriority.none
        var children: [(key: TreeKey, node: TreeNode)] = []

        var node: TreeNode {
            if let scalar { return TreeNode(scalar, priority: self.priority) }
            return TreeNode(children: self.children, priority: self.priority)
        }
    }

    private var levels = [Level(key: [])]

    /// False for what no row of a node can be.
    mutating func add(_ name: ArraySlice<UInt8>, _ text: [UInt8]) -> Bool {
        var keys = name.split(separator: 0, omittingEmptySubsequences: false)
        guard let last = keys.popLast(), keys.count <= TreeLimits.levelsMax,
            last.isEmpty || last.elementsEqual([UInt8(ascii: ".")]),
            let scalar = try? TreeTemplate(JSONValue(parsing: text)).node.scalar
        else { return false }
        let open = self.levels.dropFirst().map(\.key)
        let shared = zip(open, keys).prefix { $0.elementsEqual($1) }.count
        while self.levels.count > shared + 1 { guard self.close() else { return false } }
        for key in keys.dropFirst(shared) { self.levels.append(Level(key: key)) }
        let top = self.levels.count - 1
        if last.isEmpty {
            self.levels[top].scalar = scalar
        } else {
            self.levels[top].priority = TreePriority(scalar) ?? .none
        }
        return true
    }

    private mutating func close() -> Bool {
        guard let level = self.levels.popLast(),
            let key = try? TreeKey(TreeText(String(decoding: level.key, as: UTF8.self)))
        else { return false }
        self.levels[self.levels.count - 1].children.append((key: key, node: level.node))
        return true
    }

    /// Nil where a name is no way to a node.
    mutating func finish() -> TreeNode? {
        while self.levels.count > 1 { guard self.close() else { return nil } }
        return self.levels[0].node
    }
}
