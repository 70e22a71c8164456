import BrasaTree

/// The first byte of a node, with a bit for a priority that follows.
enum NodeKind: UInt8 {
    case absent = 0
    case no = 1
    case yes = 2
    case integer = 3
    case double = 4
    case string = 5
    case inner = 6

    static let hasPriority: UInt8 = 0x10
}

/// The first byte of a part of a checkpoint's trees.
enum TreePartKind: UInt8 {
    case whole = 0
    /// A node whose children come in several parts, with the first of them.
    case opening = 1
    /// Further children of such a node.
    case further = 2
}

/// Trees in the format of docs/storage-format.md.
extension RecordSink {
    /// Without nodes it is what a record has beside them. `age`: how long ago the session began to leave something that ends
    /// with this commit.
    mutating func append(
        changes: [TreeChange],
        of name: TreeNamespace,
        ending age: Int64? = nil,
        withNodes: Bool = true
    ) {
        self.append((age == nil ? RecordKind.tree : .treeEnding).rawValue)
        if let age { self.append(varint: UInt64(bitPattern: age)) }
        self.append(prefixed: name.utf8)
        self.append(varint: UInt64(changes.count))
        for change in changes {
            self.append(change.isUpdate ? 1 : 0)
            self.append(change.path.keys[...])
            self.append(varint: UInt64(change.placements.count))
            for placement in change.placements {
                self.append(placement.location.isPriority ? 1 : 0)
                // Every place is at the written node or below it.
                self.append(placement.location.path.keys.dropFirst(change.path.keys.count))
                if withNodes { self.append(placement.node) }
            }
        }
    }

    mutating func append(wholeTree root: TreeNode, of name: TreeNamespace) {
        self.append(prefixed: name.utf8)
        self.append(TreePartKind.whole.rawValue)
        self.append(root)
    }

    /// A part of the children of a node; with the node's priority when it is the first part.
    mutating func append(
        children: [(key: TreeKey, node: TreeNode)],
        of path: [TreeKey],
        opening priority: TreePriority?,
        in name: TreeNamespace
    ) {
        self.append(prefixed: name.utf8)
        self.append((priority == nil ? TreePartKind.further : .opening).rawValue)
        self.append(path[...])
        if let priority {
            self.append(priority.scalar == nil ? 0 : 1)
            self.append(priority)
        }
        self.append(varint: UInt64(children.count))
        for (key, node) in children {
            self.append(prefixed: key.utf8)
            self.append(node)
        }
    }

    mutating func append(_ node: TreeNode) {
        switch node {
        case .absent: self.append(NodeKind.absent.rawValue)
        case .leaf(let scalar): self.append(scalar, priority: .none)
        case .prioritizedLeaf(let leaf): self.append(leaf.scalar, priority: leaf.priority)
        case .inner:
            self.append(.inner, priority: node.priority)
            self.append(varint: UInt64(node.childCount))
            // A tree has 32 levels at most.
            node.forEachChild { key, child in
                self.append(varint: UInt64(key.count))
                self.append(UnsafeRawBufferPointer(key))
                self.append(child)
            }
        }
    }

    private mutating func append(_ scalar: TreeScalar, priority: TreePriority) {
        switch scalar {
        case .boolean(let value): self.append(value ? .yes : .no, priority: priority)
        case .integer(let value):
            self.append(.integer, priority: priority)
            // Small numbers of either sign are short.
            self.append(varint: UInt64(bitPattern: (value << 1) ^ (value >> 63)))
        case .double(let value):
            self.append(.double, priority: priority)
            self.append(fixed: Int64(bitPattern: value.bitPattern))
        case .string(let text):
            self.append(.string, priority: priority)
            self.append(prefixed: text.utf8)
        }
    }

    private mutating func append(_ kind: NodeKind, priority: TreePriority) {
        if case .none = priority { return self.append(kind.rawValue) }
        self.append(kind.rawValue | NodeKind.hasPriority)
        self.append(priority)
    }

    private mutating func append(_ priority: TreePriority) {
        switch priority {
        case .none: break
        case .number(let value):
            self.append(NodeKind.double.rawValue)
            self.append(fixed: Int64(bitPattern: value.bitPattern))
        case .string(let text):
            self.append(NodeKind.string.rawValue)
            self.append(prefixed: text.utf8)
        }
    }

    mutating func append(_ keys: ArraySlice<TreeKey>) {
        self.append(varint: UInt64(keys.count))
        for key in keys { self.append(prefixed: key.utf8) }
    }
}
