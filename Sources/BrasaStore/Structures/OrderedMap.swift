/// What has its place in an order with it, and need not be told it beside.
protocol Keyed {
    associatedtype Key: Comparable

    var key: Key { get }
}

/// A B+tree: values in the order of their keys, which the values have themselves, so that a leaf takes a word for each of
/// them that is a reference. Nodes hold at most `OrderedMapNode.entriesMax` entries. A full leaf gives to the one before it
/// before it splits. A node that loses entries and has fewer than `entriesMin` shares with its neighbour; a leaf may begin
/// with fewer: beside a full one, so that runs of ascending or descending keys fill leaves densely wherever they are, and
/// where a start made leaves of a checkpoint's chunks. Inner nodes may have fewer at the right edge only, and nowhere else is
/// a leaf empty.
///
/// A reference type without a guard of its own: whoever owns it guards it. Cursors (`OrderedMap+Cursor.swift`) see the
/// tree as it stands and are void once it changes.
/// Complexity: O(log n) for `insert`, `remove`, `value(for:)` and a cursor's `seek`.
final class OrderedMap<Value: Keyed> {
    private(set) var root = OrderedMapNode<Value>()
    private(set) var count = 0

    var isEmpty: Bool { self.count == 0 }

    func value(for key: Value.Key) -> Value? {
        var node = self.root
        while !node.isLeaf { node = node.children[node.childIndex(for: key)] }
        return node.valueIndex(of: key).map { node.values[$0] }
    }

    /// Returns the value that was there before.
    @discardableResult
    func insert(_ value: Value) -> Value? {
        let (replaced, split) = self.root.insert(value, for: value.key, isRightEdge: true)
        if let split {
            let left = self.root
            self.root = OrderedMapNode(separators: [split.separator], children: [left, split.right])
        }
        if replaced == nil { self.count += 1 }
        return replaced
    }

    /// For a tree that was built from below.
    func replaceRoot(_ root: OrderedMapNode<Value>, count: Int) {
        self.root = root
        self.count = count
    }

    @discardableResult
    func remove(_ key: Value.Key) -> Value? {
        guard let removed = self.root.remove(key) else { return nil }
        self.count -= 1
        if !self.root.isLeaf, self.root.children.count == 1 { self.root = self.root.children[0] }
        return removed
    }
}

/// A leaf has `values`; an inner node has `children` and, between each two, a separator: every key left of it is smaller, no
/// key right of it is.
final class OrderedMapNode<Value: Keyed> {
    typealias Key = Value.Key

    /// With its header, the array of a full leaf of references is 512 bytes, which allocators do not round up.
    static var entriesMax: Int { 60 }
    static var entriesMin: Int { 16 }
    /// A full leaf gives the one before it a part of its values if that has room for so many: it splits only once both are
    /// nearly full, and it takes some insertions more before either gives again.
    static var entriesShared: Int { 12 }
    /// For how many values more a leaf has room made at once: one whose array doubled would keep up to twice what it needs,
    /// and there is a place in a leaf for every document.
    static var entriesSpare: Int { 7 }

    var separators: [Key]
    var values: [Value]
    var children: [OrderedMapNode]

    init(separators: [Key] = [], values: [Value] = [], children: [OrderedMapNode] = []) {
        self.separators = separators
        self.values = values
        self.children = children
    }

    struct Split {
        let separator: Key
        let right: OrderedMapNode
    }

    var isLeaf: Bool { self.children.isEmpty }
    /// What the bounds on a node's size count.
    var entryCount: Int { self.isLeaf ? self.values.count : self.children.count }

    /// Index of the first value, or in an inner node of the first separator, that is not before the position; `isBefore`
    /// holds for a prefix of all keys.
    @inline(__always)
    func firstIndex(from start: Int = 0, notBefore isBefore: (Key) -> Bool) -> Int {
        if self.isLeaf {
            let values = self.values
            return Self.firstIndex(in: start..<values.count) { isBefore(values[$0].key) }
        }
        let separators = self.separators
        return Self.firstIndex(in: start..<separators.count) { isBefore(separators[$0]) }
    }

    @inline(__always)
    private static func firstIndex(in range: Range<Int>, notBefore isBefore: (Int) -> Bool) -> Int {
        var low = range.lowerBound
        var high = range.upperBound
        while low < high {
            let middle = (low &+ high) / 2
            if isBefore(middle) { low = middle &+ 1 } else { high = middle }
        }
        return low
    }

    /// In a leaf; nil when the key is not there.
    func valueIndex(of key: Key) -> Int? {
        let index = self.firstIndex { $0 < key }
        return index < self.values.count && self.values[index].key == key ? index : nil
    }

    /// The child that holds the key if any does. Looks at the end first, for keys that arrive in ascending order.
    func childIndex(for key: Key) -> Int {
        // Written with `<` only: the standard library's `<=` would be called through the protocol.
        if let last = self.separators.last, !(key < last) { return self.separators.count }
        return self.firstIndex { !(key < $0) }
    }

    func insert(_ value: Value, for key: Key, isRightEdge: Bool) -> (replaced: Value?, split: Split?) {
        guard !self.isLeaf else { return self.insertIntoLeaf(value, for: key) }
        var index = self.childIndex(for: key)
        if self.shareLeaf(index), key < self.separators[index - 1] { index -= 1 }
        let isAtEnd = isRightEdge && index == self.children.count - 1
        let (replaced, split) = self.children[index].insert(value, for: key, isRightEdge: isAtEnd)
        guard let split else { return (replaced, nil) }
        self.separators.insert(split.separator, at: index)
        self.children.insert(split.right, at: index + 1)
        guard self.children.count > Self.entriesMax else { return (replaced, nil) }
        return (replaced, self.splitInner(atEnd: isAtEnd))
    }

    private func insertIntoLeaf(_ value: Value, for key: Key) -> (replaced: Value?, split: Split?) {
        let isLast = self.values.last.map { $0.key < key } ?? true
        let index = isLast ? self.values.count : self.firstIndex { $0 < key }
        if index < self.values.count, self.values[index].key == key {
            let replaced = self.values[index]
            self.values[index] = value
            return (replaced, nil)
        }
        guard self.values.count == Self.entriesMax else {
            self.place(value, at: index)
            return (nil, nil)
        }
        // When the key comes last or first, what is here stays full.
        if isLast {
            return (nil, Split(separator: key, right: OrderedMapNode(values: [value])))
        }
        if index == 0 {
            let right = OrderedMapNode(values: self.values)
            self.values = [value]
            return (nil, Split(separator: right.values[0].key, right: right))
        }
        let middle = Self.entriesMax / 2
        let right = OrderedMapNode(values: Array(self.values[middle...]))
        // A copy, since what is left would keep the room of all.
        self.values = Array(self.values[..<middle])
        let goesRight = index > middle
        (goesRight ? right : self).place(value, at: goesRight ? index - middle : index)
        return (nil, Split(separator: right.values[0].key, right: right))
    }

    /// In a leaf that is not full. Room is made for a few at a time.
    private func place(_ value: Value, at index: Int) {
        self.values.makeRoom(spare: Self.entriesSpare)
        self.values.insert(value, at: index)
    }

    private func splitInner(atEnd: Bool) -> Split {
        let middle = atEnd ? self.children.count - 1 : self.children.count / 2
        let separator = self.separators[middle - 1]
        let right = OrderedMapNode(
            separators: Array(self.separators[middle...]),
            children: Array(self.children[middle...])
        )
        self.separators.removeSubrange((middle - 1)...)
        self.children.removeSubrange(middle...)
        return Split(separator: separator, right: right)
    }
}
