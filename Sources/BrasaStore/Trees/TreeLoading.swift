import BrasaLog
import BrasaTree

/// Puts the trees of a checkpoint together from their parts, which come in the order of names and keys.
struct TreeLoading {
    private let registry: TreeRegistry
    private var last: TreeNamespace?
    /// The tree whose parts are being read, and the way to the node that was opened last.
    private var open: (tree: TreeHandle, assembler: TreeAssembler, path: [TreeKey])?

    init(into registry: TreeRegistry) {
        self.registry = registry
    }

    /// To the payload's end.
    mutating func read(_ reader: inout RecordReader, snapshotTime: Int64) throws(LogRejection) {
        while !reader.isAtEnd {
            let name = try reader.treeName()
            let byte = try reader.byte()
            guard let kind = TreePartKind(rawValue: byte) else { throw LogRejection("tree part \(byte) is unknown") }
            if name != self.open?.tree.name {
                try self.finish(snapshotTime: snapshotTime)
                if let last = self.last, name <= last { throw LogRejection("trees are not in order") }
                self.last = name
            } else if kind == .whole {
                throw LogRejection("a tree is there twice")
            }
            try self.readPart(kind, of: name, &reader, snapshotTime: snapshotTime)
        }
    }

    private mutating func readPart(
        _ kind: TreePartKind,
        of name: TreeNamespace,
        _ reader: inout RecordReader,
        snapshotTime: Int64
    ) throws(LogRejection) {
        if kind == .whole {
            let root = try reader.treeNode(below: .root)
            guard !root.isAbsent else { throw LogRejection("a tree is absent") }
            return self.registry.load(root, into: self.registry.handle(name), time: snapshotTime)
        }
        let tree = self.registry.handle(name)
        var (_, assembler, path) = self.open.take() ?? (tree, TreeAssembler(), [])
        let place = try reader.treePath()
        let isOpening = kind == .opening
        // Of nodes that are open already, those that are not on the way are complete.
        let parent = isOpening ? Array(place.keys.dropLast()) : place.keys
        while !parent.starts(with: path) {
            guard assembler.close().fits else { throw LogRejection("an inner node has no children") }
            path.removeLast()
        }
        let isRoot = assembler.depth == 0
        guard path == parent, isRoot == (isOpening && place.isRoot) else { throw LogRejection("a part has no place") }
        if isOpening {
            let priority = try reader.flag() ? try reader.treePriority() : .none
            guard assembler.open(place.keys.last, priority: priority) else {
                throw LogRejection("parts are not in order")
            }
            path = place.keys
        }
        let levels = try reader.levels(below: place)
        for _ in 0..<(try reader.varint()) { try reader.treeChild(&assembler, levels: levels) }
        self.open = (tree, assembler, path)
    }

    /// No more parts come of the tree at hand.
    mutating func finish(snapshotTime: Int64) throws(LogRejection) {
        guard let open = self.open.take() else { return }
        var assembler = open.assembler
        var root: TreeNode?
        while assembler.depth > 0 {
            let (fits, closed) = assembler.close()
            guard fits else { throw LogRejection("an inner node has no children") }
            root = closed
        }
        guard let root else { throw LogRejection("a tree is not whole") }
        self.registry.load(root, into: open.tree, time: snapshotTime)
    }
}
