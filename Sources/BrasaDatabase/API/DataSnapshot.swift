internal import BrasaTree
public import Foundation

/// What was at a place at a time. It does not change.
public final class DataSnapshot: Sendable {
    /// Where it was.
    public let ref: DatabaseReference
    let node: TreeNode
    /// In which children come.
    let order: TreeQuery.Order

    init(_ ref: DatabaseReference, _ node: TreeNode, _ order: TreeQuery.Order = .priority) {
        (self.ref, self.node, self.order) = (ref, node, order)
    }

    /// The last key on the way; empty at the root.
    public var key: String { self.ref.key ?? "" }

    /// `String`, `NSNumber` (booleans, too), `[String: Any]` or `[Any]`; `NSNull` when nothing is there. A node whose keys
    /// are mostly the indices of an array is one.
    public var value: Any? { ValueWriter.value(self.node) }

    /// The same with `.priority` and `.value` where nodes have priorities, and without arrays.
    public func valueInExportFormat() -> Any? { ValueWriter.value(self.node, .export) }

    /// A string or number; `NSNull` for none.
    public var priority: Any? { ValueWriter.priority(self.node.priority) }

    public func exists() -> Bool { !self.node.isAbsent }

    public func hasChildren() -> Bool { self.node.childCount > 0 }

    /// Whether something is at a path below. Nothing is at what is no path.
    public func hasChild(_ childPathString: String) -> Bool { self.childSnapshot(forPath: childPathString).exists() }

    /// What was at a path below: nothing, if it is no path.
    public func childSnapshot(forPath childPathString: String) -> DataSnapshot {
        let ref = self.ref.child(childPathString)
        guard !ref.place.isNowhere, let path = try? TreePath(childPathString) else { return DataSnapshot(ref, .absent) }
        return DataSnapshot(ref, self.node[path])
    }

    /// Children of the node itself; none of a leaf.
    public var childrenCount: UInt { UInt(self.node.childCount) }

    /// Snapshots of the children, in the query's order.
    public var children: NSEnumerator { NodeEnumerator(self.childSnapshots) }

    private var childSnapshots: [DataSnapshot] {
        guard let query = try? TreeQuery(order: self.order) else { return [] }
        return TreeWindow(query, of: self.node).members.map { member in
            DataSnapshot(self.ref.child(member.entry.key), member.node)
        }
    }
}

extension DataSnapshot: CustomStringConvertible {
    public var description: String {
        "Snap (\(self.key)) \(String(decoding: self.node.text(.plain), as: UTF8.self))"
    }
}

extension Optional where Wrapped == DataSnapshot {
    /// Documented programs with `getData(completion:)` have `snapshot.value`, from when it was no optional.
    public var value: Any? { self?.value }
}
