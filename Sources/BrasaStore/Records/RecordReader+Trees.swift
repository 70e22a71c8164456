import BrasaLog
import BrasaTree

extension RecordReader {
    mutating func treeName() throws(LogRejection) -> TreeNamespace {
        guard let name = TreeNamespace(recorded: try self.prefixed()) else {
            throw LogRejection("a tree's name is not one")
        }
        return name
    }

    /// To the payload's end.
    mutating func treeChanges() throws(LogRejection) -> [TreeChange] {
        var changes: [TreeChange] = []
        var room = TreeRecord.placementsMax
        for _ in 0..<(try self.varint()) {
            room -= 1
            let isUpdate = try self.flag()
            let path = try self.treePath()
            var placements: [TreeChange.Placement] = []
            for _ in 0..<(try self.varint()) {
                room -= 1
                guard room >= 0 else { throw LogRejection("a tree's record has too many places") }
                let isPriority = try self.flag()
                let relative = try self.treePath()
                // Most are at the path itself, and share it.
                let place = relative.isRoot ? path : path.appending(relative)
                let node = try self.treeNode(below: place)
                if isPriority, !node.isAbsent,
                    node.scalar.flatMap(TreePriority.init) == nil || node.priority.scalar != nil
                {
                    throw LogRejection("a priority is not one")
                }
                let location = TreeLocation(place, isPriority: isPriority)
                placements.append(TreeChange.Placement(location: location, node: node))
            }
            guard room >= 0 else { throw LogRejection("a tree's record has too many places") }
            changes.append(TreeChange(path: path, isUpdate: isUpdate, placements: placements))
        }
        guard self.isAtEnd else { throw LogRejection("a tree's record goes on after its end") }
        return changes
    }

    mutating func treePath() throws(LogRejection) -> TreePath {
        let count = try self.varint()
        guard count <= TreeLimits.levelsMax else { throw LogRejection("a path is too deep") }
        var path = TreePath.root
        for _ in 0..<count { path.keys.append(try self.treeKey()) }
        return path
    }

    private mutating func treeKey() throws(LogRejection) -> TreeKey {
        let text = try self.treeText()
        do throws(TreeError) {
            return try TreeKey(text)
        } catch {
            throw LogRejection("a key is not one")
        }
    }

    private mutating func treeText() throws(LogRejection) -> TreeText {
        guard let text = TreeText(validating: try self.prefixed()) else { throw LogRejection("a text is not UTF-8") }
        return text
    }

    func levels(below path: TreePath) throws(LogRejection) -> Int {
        guard path.keys.count <= TreeLimits.levelsMax else { throw LogRejection("a node is too deep") }
        return TreeLimits.levelsMax - path.keys.count
    }

    mutating func treeNode(below path: TreePath) throws(LogRejection) -> TreeNode {
        let levels = try self.levels(below: path)
        let head = try self.nodeHead()
        guard case .inner = head.kind else { return head.leaf }
        var assembler = TreeAssembler()
        guard let root = try self.inner(&assembler, key: nil, priority: head.priority, levels: levels) else {
            throw LogRejection("a node is not whole")
        }
        return root
    }

    /// A child of the assembler's open node.
    mutating func treeChild(_ assembler: inout TreeAssembler, levels: Int) throws(LogRejection) {
        guard levels > 0 else { throw LogRejection("a node is too deep") }
        let key = try self.treeKey()
        let head = try self.nodeHead()
        if case .inner = head.kind {
            _ = try self.inner(&assembler, key: key, priority: head.priority, levels: levels - 1)
        } else if !assembler.add(head.leaf, key: key) {
            throw LogRejection("a child is absent, or not after the one before")
        }
    }

    /// The children of an inner node. Returns it when it is the assembler's root.
    private mutating func inner(
        _ assembler: inout TreeAssembler,
        key: TreeKey?,
        priority: TreePriority,
        levels: Int
    ) throws(LogRejection) -> TreeNode? {
        guard assembler.open(key, priority: priority) else { throw LogRejection("a child is not after the one before") }
        for _ in 0..<(try self.varint()) { try self.treeChild(&assembler, levels: levels) }
        let (fits, root) = assembler.close()
        guard fits else { throw LogRejection("an inner node has no children") }
        return root
    }

    private struct NodeHead {
        let kind: NodeKind
        let priority: TreePriority
        /// Absent for an inner node.
        let leaf: TreeNode
    }

    /// A leaf, or what an inner node has before its children.
    private mutating func nodeHead() throws(LogRejection) -> NodeHead {
        let byte = try self.byte()
        guard let kind = NodeKind(rawValue: byte & ~NodeKind.hasPriority) else {
            throw LogRejection("node kind \(byte) is unknown")
        }
        let priority = byte & NodeKind.hasPriority == 0 ? TreePriority.none : try self.treePriority()
        let scalar: TreeScalar
        switch kind {
        case .absent:
            guard byte == NodeKind.absent.rawValue else { throw LogRejection("an absent node has a priority") }
            return NodeHead(kind: kind, priority: .none, leaf: .absent)
        case .inner: return NodeHead(kind: kind, priority: priority, leaf: .absent)
        case .no: scalar = .boolean(false)
        case .yes: scalar = .boolean(true)
        case .integer:
            let number = try self.varint()
            scalar = .integer(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
        case .double:
            scalar = .double(try self.double())
            // A number that an integer holds has one form only.
            guard scalar.number.flatMap(TreeScalar.number) == scalar else { throw LogRejection("a number is not one") }
        case .string:
            let text = try self.treeText()
            guard text.utf8.count <= TreeLimits.stringBytesMax else { throw LogRejection("a string is too long") }
            scalar = .string(text)
        }
        return NodeHead(kind: kind, priority: priority, leaf: TreeNode(scalar, priority: priority))
    }

    mutating func treePriority() throws(LogRejection) -> TreePriority {
        switch NodeKind(rawValue: try self.byte()) {
        case .double:
            let number = try self.double()
            guard number.isFinite else { throw LogRejection("a priority is not a number") }
            return .number(number)
        case .string:
            let text = try self.treeText()
            guard text.utf8.count <= TreeLimits.stringBytesMax else { throw LogRejection("a priority is too long") }
            return .string(text)
        default: throw LogRejection("a priority is of an unknown kind")
        }
    }

    private mutating func double() throws(LogRejection) -> Double {
        Double(bitPattern: UInt64(bitPattern: try self.fixed()))
    }

    mutating func flag() throws(LogRejection) -> Bool {
        switch try self.byte() {
        case 0: return false
        case 1: return true
        case let byte: throw LogRejection("\(byte) is neither yes nor no")
        }
    }
}
