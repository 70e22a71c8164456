/// A B+tree: keys in order, values in the leaves. Nodes hold at most `OrderedMapNode.entriesMax` entries. One that loses
/// entries and has fewer than `entriesMin` shares with its neighbour; a leaf may begin with fewer, behind a full one, so
/// that runs of ascending keys fill leaves densely wherever they are. Inner nodes may have fewer at the right edge only,
/// and nowhere else is a leaf empty.
///
/// A reference type without a guard of its own: whoever owns it guards it. Cursors (`OrderedMap+Cursor.swift`) see the
/// tree as it stands and are void once it changes.
/// Complexity: O(log n) for `insert`, `remove`, `value(for:)` and a cursor's `seek`.
final class OrderedMap<Key: Comparable, Value> {
    private(set) var root = OrderedMapNode<Key, Value>()
    private(set) var count = 0

    var isEmpty: Bool { self.count == 0 }

    func value(for key: Key) -> Value? {
        var node = self.root
        while !node.isLeaf { node = node.children[node.childIndex(for: key)] }
        let index = node.firstIndex { $0 < key }
        guard index < node.keys.count, node.keys[index] == key else { return nil }
        return node.values[index]
    }

    /// Returns the value that was there before.
    @discardableResult
    func insert(_ value: Value, for key: Key) -> Value? {
        let (replaced, split) = self.root.insert(value, for: key, isRightEdge: true)
        if let split {
            let left = self.root
            self.root = OrderedMapNode(keys: [split.separator], children: [left, split.right])
        }
        if replaced == nil { self.count += 1 }
        return replaced
    }

    @discardableResult
    func remove(_ key: Key) -> Value? {
        guard let removed = self.root.remove(key) else { return nil }
        self.count -= 1
        if !self.root.isLeaf, self.root.children.count == 1 { self.root = self.root.children[0] }
        return removed
    }
}

/// A leaf has `keys` and `values`; an inner node has `children` and, between each two, a separator in `keys`: every key
/// left of it is smaller, no key right of it is.
final class OrderedMapNode<Key: Comparable, Value> {
    static var entriesMax: Int { 64 }
    static var entriesMin: Int { 16 }

    var keys: [Key]
    var values: [Value]
    var children: [OrderedMapNode]

    init(keys: [Key] = [], values: [Value] = [], children: [OrderedMapNode] = []) {
        self.keys = keys
        self.values = values
        self.children = children
    }

    struct Split {
        let separator: Key
        let right: OrderedMapNode
    }

    var isLeaf: Bool { self.children.isEmpty }
    /// What the bounds on a node's size count.
    var entryCount: Int { self.isLeaf ? self.keys.count : self.children.count }

    /// Index of the first key that is not before the position; `isBefore` holds for a prefix of all keys.
    @inline(__always)
    func firstIndex(from start: Int = 0, notBefore isBefore: (Key) -> Bool) -> Int {
        let keys = self.keys
        var low = start
        var high = keys.count
        while low < high {
            let middle = (low &+ high) / 2
            if isBefore(keys[middle]) { low = middle &+ 1 } else { high = middle }
        }
        return low
    }

    /// The child that holds the key if any does. Looks at the end first, for keys that arrive in ascending order.
    func childIndex(for key: Key) -> Int {
        // Written with `<` only: the standard library's `<=` would be called through the protocol.
        if let last = self.keys.last, !(key < last) { return self.keys.count }
        return self.firstIndex { !(key < $0) }
    }

    func insert(_ value: Value, for key: Key, isRightEdge: Bool) -> (replaced: Value?, split: Split?) {
        guard !self.isLeaf else { return self.insertIntoLeaf(value, for: key) }
        let index = self.childIndex(for: key)
        let isAtEnd = isRightEdge && index == self.children.count - 1
        let (replaced, split) = self.children[index].insert(value, for: key, isRightEdge: isAtEnd)
        guard let split else { return (replaced, nil) }
        self.keys.insert(split.separator, at: index)
        self.children.insert(split.right, at: index + 1)
        guard self.children.count > Self.entriesMax else { return (replaced, nil) }
        return (replaced, self.splitInner(atEnd: isAtEnd))
    }

    private func insertIntoLeaf(_ value: Value, for key: Key) -> (replaced: Value?, split: Split?) {
        let isLast = self.keys.last.map { $0 < key } ?? true
        let index = isLast ? self.keys.count : self.firstIndex { $0 < key }
        if index < self.keys.count, self.keys[index] == key {
            let replaced = self.values[index]
            self.values[index] = value
            return (replaced, nil)
        }
        guard self.keys.count == Self.entriesMax else {
            self.keys.insert(key, at: index)
            self.values.insert(value, at: index)
            return (nil, nil)
        }
        // When the key comes last, what is here stays full.
        let middle = isLast && index == Self.entriesMax ? Self.entriesMax : Self.entriesMax / 2
        let right = OrderedMapNode(keys: Array(self.keys[middle...]), values: Array(self.values[middle...]))
        self.keys.removeSubrange(middle...)
        self.values.removeSubrange(middle...)
        let goesRight = index > middle || right.keys.isEmpty
        let target = goesRight ? right : self
        let place = goesRight ? index - middle : index
        target.keys.insert(key, at: place)
        target.values.insert(value, at: place)
        return (nil, Split(separator: right.keys[0], right: right))
    }

    private func splitInner(atEnd: Bool) -> Split {
        let middle = atEnd ? self.children.count - 1 : self.children.count / 2
        let separator = self.keys[middle - 1]
        let right = OrderedMapNode(keys: Array(self.keys[middle...]), children: Array(self.children[middle...]))
        self.keys.removeSubrange((middle - 1)...)
        self.children.removeSubrange(middle...)
        return Split(separator: separator, right: right)
    }
}
