/// From a node down to another, key by key; empty at the node itself.
package struct TreePath: Hashable, Sendable {
    package var keys: [TreeKey]

    package static let root = TreePath([])

    package init(_ keys: [TreeKey]) {
        self.keys = keys
    }

    /// Keys between slashes. Leading, trailing and doubled slashes do not count.
    package init(_ text: String) throws(TreeError) {
        let location = try TreeLocation(text)
        guard !location.isPriority else { throw TreeError(.invalidKey(TreeLocation.priorityName), at: location.path) }
        self = location.path
    }

    package var isRoot: Bool { self.keys.isEmpty }
    package var last: TreeKey? { self.keys.last }
    package var parent: TreePath? { self.keys.isEmpty ? nil : TreePath(Array(self.keys.dropLast())) }

    package func appending(_ key: TreeKey) -> TreePath { TreePath(self.keys + [key]) }
    package func appending(_ path: TreePath) -> TreePath { TreePath(self.keys + path.keys) }

    /// What its keys take in memory, about.
    var keptBytes: Int {
        self.keys.reduce(Allocation.ofArray(self.keys.count * MemoryLayout<TreeKey>.stride)) { $0 + $1.text.bytes }
    }

    /// Whether `other` is this node or below it.
    package func contains(_ other: TreePath) -> Bool { other.keys.starts(with: self.keys) }

    /// The way from here to `other`; nil when that is not this node or below it.
    package func relative(_ other: TreePath) -> TreePath? {
        self.contains(other) ? TreePath(Array(other.keys.dropFirst(self.keys.count))) : nil
    }
}

extension TreePath: Comparable, CustomStringConvertible {
    /// Key by key; of two of which one contains the other, the upper.
    package static func < (left: TreePath, right: TreePath) -> Bool {
        left.keys.lexicographicallyPrecedes(right.keys)
    }

    /// `/` at the node itself.
    package var description: String { self.keys.isEmpty ? "/" : self.keys.map { "/\($0)" }.joined() }
}
