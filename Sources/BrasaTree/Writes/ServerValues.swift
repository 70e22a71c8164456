/// The places of a written value that the server works out, as a tree of their own beside the value: what many places
/// have in common on their way is kept once, and they are worked out in one walk.
package final class ServerValues: Sendable {
    enum Priority: Hashable, Sendable {
        case written(TreePriority)
        case server(ServerValue)
    }

    /// The leaf's own; nil where only what is beneath or the priority is worked out.
    let value: ServerValue?
    /// Nil where the written node has it already.
    let priority: Priority?
    /// In key order, without equal keys.
    let children: [(key: TreeText, values: ServerValues)]
    /// Levels beneath.
    let height: Int
    /// How many values are worked out, priorities counted.
    package let count: Int
    /// What it takes in memory, about.
    let keptBytes: Int

    init(value: ServerValue?, priority: Priority? = nil, children: [(key: TreeText, values: ServerValues)] = []) {
        self.value = value
        self.priority = priority
        self.children = children
        self.height = children.reduce(0) { max($0, $1.values.height + 1) }
        var count = value == nil ? 0 : 1
        if case .server? = priority { count += 1 }
        self.count = children.reduce(count) { $0 + $1.values.count }
        self.keptBytes = children.reduce(Self.objectBytes) {
            $0 + MemoryLayout<(TreeText, ServerValues)>.stride + $1.key.bytes + $1.values.keptBytes
        }
    }

    /// The object, and the array of what is beneath.
    private static let objectBytes = 192

    /// Most are this.
    private static let timestamp = ServerValues(value: .timestamp)

    static func bare(_ value: ServerValue) -> ServerValues {
        value == .timestamp ? self.timestamp : ServerValues(value: value)
    }

    /// Whether it is one value for the place itself, without a priority.
    var isBare: Bool { self.value != nil && self.priority == nil && self.children.isEmpty }

    /// What is beneath, by its keys. They were checked when the value was read.
    package var keyedChildren: [(key: TreeKey, values: ServerValues)] {
        self.children.map { (key: TreeKey(checked: $0.key), values: $0.values) }
    }

    /// The node with everything worked out. Recursive, as deep as written values may be.
    func resolved(_ node: TreeNode, present: TreeNode, milliseconds: Int64) -> TreeNode {
        var result = node
        if let value {
            result = .leaf(value.resolved(present: present.scalar, milliseconds: milliseconds))
        } else if !self.children.isEmpty {
            result = node.setting(
                sorted: self.children.map { key, values in
                    let key = TreeKey(checked: key)
                    let child = values.resolved(
                        node.child(key),
                        present: present.child(key),
                        milliseconds: milliseconds
                    )
                    return (key, child)
                }
            )
        }
        switch self.priority {
        case nil: return result
        case .written(let priority)?: return result.withPriority(priority)
        case .server(let value)?:
            let scalar = value.resolved(present: present.priority.scalar, milliseconds: milliseconds)
            return result.withPriority(TreePriority(scalar) ?? .none)
        }
    }
}
