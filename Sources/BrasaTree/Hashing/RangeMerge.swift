/// Replaces the leaves after one path up to and including another, in key order.
package struct RangeMerge: Sendable {
    /// Not included; nil where it is open.
    package let start: LeafPath?
    /// Included; nil where it is open.
    package let end: LeafPath?
    /// What is in the range now, in its place from the listened node.
    package let node: TreeNode

    package init(start: LeafPath?, end: LeafPath?, node: TreeNode) {
        self.start = start
        self.end = end
        self.node = node
    }

    /// With the part of a node that is in the range.
    init(start: LeafPath?, end: LeafPath?, of node: TreeNode) {
        let bounds = Bounds(start: start?.segments[...], end: end?.segments[...])
        self.init(start: start, end: end, node: bounds.cut(node))
    }

    /// One of the list that the push `rm` has.
    package var wire: JSONValue {
        var members: [JSONValue.Member] = []
        if let start { members.append(.init("s", .string(start.text))) }
        if let end { members.append(.init("e", .string(end.text))) }
        members.append(.init("m", self.node.json(.export)))
        return .object(members)
    }

    package init(wire value: JSONValue) throws(TreeError) {
        func path(_ value: JSONValue?) throws(TreeError) -> LeafPath? {
            switch value {
            case nil, .null?: return nil
            case .string(let text)?: return try LeafPath(wire: text)
            default: throw TreeError(.malformedCompoundHash)
            }
        }
        self.init(
            start: try path(value["s"]),
            end: try path(value["e"]),
            node: try TreeTemplate(value["m"] ?? .null).node
        )
    }

    /// What the client has once it has taken the merge.
    package func applied(to node: TreeNode) -> TreeNode {
        Bounds(start: self.start?.segments[...], end: self.end?.segments[...]).merge(self.node, into: node)
    }
}

/// A range as seen from a node on the way to its ends. Nil: the end is not at or below this node, which is on the inner
/// side of it. Empty: the end is this node.
private struct Bounds {
    let start: ArraySlice<TreeText>?
    let end: ArraySlice<TreeText>?

    /// From a child; nil when it and all beneath it are outside.
    func child(_ key: TreeText) -> Bounds? {
        var (start, end): (ArraySlice<TreeText>?, ArraySlice<TreeText>?) = (nil, nil)
        if let first = self.start?.first {
            let order = TreeKey.compare(key, first)
            if order < 0 { return nil }
            if order == 0 { start = self.start?.dropFirst() }
        }
        if let bound = self.end {
            guard let first = bound.first else { return nil }
            let order = TreeKey.compare(key, first)
            if order > 0 { return nil }
            if order == 0 { end = bound.dropFirst() }
        }
        return Bounds(start: start, end: end)
    }

    var holdsAll: Bool { self.start == nil && self.end == nil }

    /// Whether a leaf at this node is in the range: all that can be against it is a start at or below it.
    var holdsLeaf: Bool { self.start == nil }

    /// The node's children that are in the range or have a part in it, in key order.
    /// Complexity: O(log n) of n children, and those it returns.
    private func children(of node: TreeNode) -> [(key: TreeKey, node: TreeNode, bounds: Bounds)] {
        var inside: [(key: TreeKey, node: TreeNode, bounds: Bounds)] = []
        let first = self.start?.first
        for (key, child) in first.map(node.children.from(text:)) ?? IteratorSequence(node.children.makeIterator()) {
            guard let bounds = self.child(key.text) else { break }
            inside.append((key, child, bounds))
        }
        return inside
    }

    /// Recursive, as deep as the ends of the range.
    func cut(_ node: TreeNode) -> TreeNode {
        if self.holdsAll { return node }
        guard node.root != nil else { return self.holdsLeaf ? node : .absent }
        var kept: [(key: TreeText, node: TreeNode)] = []
        for (key, child, bounds) in self.children(of: node) {
            let part = bounds.cut(child)
            if !part.isAbsent { kept.append((key.text, part)) }
        }
        let hasPriority = self.child(TreeLocation.priorityName)?.holdsLeaf ?? false
        return TreeNode(sorted: kept, priority: hasPriority ? node.priority : .none)
    }

    /// Recursive, as deep as the ends of the range.
    func merge(_ update: TreeNode, into node: TreeNode) -> TreeNode {
        if self.holdsAll { return update }
        if self.start == nil, update.scalar != nil { return update }
        if let end, end.isEmpty {
            // Here the range ends with a leaf, and there is none any more; what is below is outside.
            return self.start == nil && node.root == nil ? .absent : node
        }
        // A leaf that ended up on the way to the range's end is in the range, where it is gone.
        var merged = node.root == nil && self.start == nil ? TreeNode.absent : node
        var places: [TreeKey: Bounds] = [:]
        for (key, _, bounds) in self.children(of: node) + self.children(of: update) { places[key] = bounds }
        for (key, bounds) in places {
            let (before, after) = (node.child(key), update.child(key))
            if bounds.holdsAll, after.isSame(as: before) { continue }
            merged = merged.setting(bounds.merge(after, into: before), for: key)
        }
        guard self.child(TreeLocation.priorityName)?.holdsLeaf ?? false else { return merged }
        return merged.root == nil ? merged : merged.withPriority(update.priority)
    }
}
