import BrasaQueries

/// A leaf has as many `chains` as `keys`. An inner node has `children` and, between each two, a separator in `keys`: every
/// key left of it is below it, no key right of it is. In a tree of keys that ended a node also knows when, so that a reader
/// passes over whatever ended before its time without a look at it.
final class IndexNode {
    static let entriesMax = 64
    static let entriesMin = 16
    /// For how many entries more there is room made at once.
    static let entriesSpare = 7
    /// Past this, not counting what all its keys begin with and names that are not stored, a node of at least `entriesFew`
    /// keys is split before it gets another one.
    static let bytesMax = 16 << 10
    static let entriesFew = 4

    private(set) var keys: KeyBlock
    private(set) var chains: [DocumentChain]
    private(set) var children: [IndexNode]
    /// Of a leaf's entries, or the latest below each child; nil in trees of keys that did not end.
    private(set) var endTimes: [Int64]?
    /// Of a leaf whose keys are without the names that they end with.
    private let scope: IndexDefinition.Scope?

    init(_ kind: IndexTree.Kind) {
        self.keys = KeyBlock()
        self.chains = []
        self.children = []
        switch kind {
        case .current(let scope): (self.endTimes, self.scope) = (nil, scope)
        case .ended: (self.endTimes, self.scope) = ([], nil)
        }
    }

    init(keys: KeyBlock, chains: [DocumentChain], endTimes: [Int64]?, in scope: IndexDefinition.Scope?) {
        self.keys = keys
        self.chains = chains
        self.children = []
        self.endTimes = endTimes
        self.scope = scope
    }

    init(separators: KeyBlock, children: [IndexNode]) {
        self.keys = separators
        self.chains = []
        self.children = children
        self.endTimes = children.first?.endTimes == nil ? nil : children.map(\.latestEnd)
        self.scope = nil
    }

    /// What a leaf has for a key.
    struct Value {
        let chain: DocumentChain
        /// Nil: the key did not end.
        let endTime: Int64?
        /// How many of the key's bytes are the name, where leaves store keys without it; else 0.
        let nameCount: Int
    }

    struct Split {
        let separator: [UInt8]
        let right: IndexNode
    }

    /// What a change adds to the tree.
    struct Change {
        var entries = 0
        var bytes = 0
    }

    var isLeaf: Bool { self.children.isEmpty }
    /// To be asked for anew when the entries have changed.
    private var names: KeyNames {
        self.scope.map { KeyNames(scope: $0, chains: self.chains) } ?? .inKeys
    }
    private var named: KeyBlock.Named { KeyBlock.Named(self.keys, self.names) }
    var entryCount: Int { self.isLeaf ? self.chains.count : self.children.count }

    /// What the node takes in memory, about: this object, its arrays and their headers.
    var footprint: Int {
        104 + self.keys.footprint + (self.isLeaf ? self.chains.capacity : self.children.capacity) * 8 + 48
            + (self.endTimes.map { $0.capacity * 8 + 32 } ?? 0)
    }

    func key(at index: Int) -> [UInt8] { self.keys.key(at: index, self.names) }

    /// The number of entries before a place, or of children.
    func search(_ position: IndexPosition) -> Int {
        self.keys.search(position.prefix, isAfter: position.isAfter, self.names)
    }

    /// Whether the key at an index lies before a place.
    func isBefore(_ position: IndexPosition, at index: Int) -> Bool {
        self.keys.isBefore(position, at: index, self.names)
    }

    /// When the last of the entries here ended.
    var latestEnd: Int64 { self.endTimes?.max() ?? .min }

    /// The first entry or child at `index` or behind it that ended, or has an entry that ended, after a time.
    func firstIndex(from index: Int, endingAfter time: Int64?) -> Int? {
        guard let time, let endTimes = self.endTimes else { return index < self.entryCount ? index : nil }
        return endTimes[min(index, endTimes.count)...].firstIndex { $0 > time }
    }

    /// The last one before `index`.
    func lastIndex(before index: Int, endingAfter time: Int64?) -> Int? {
        guard let time, let endTimes = self.endTimes else { return index > 0 ? index - 1 : nil }
        return endTimes[..<index].lastIndex { $0 > time }
    }

    /// Whether the documents of these entries have not changed since, so that a reader at `time` sees all of them.
    func isSettled(_ indices: Range<Int>, at time: Int64) -> Bool {
        self.chains.withUnsafeBufferPointer { chains in indices.allSatisfy { chains[$0].time <= time } }
    }

    /// The children are not those they were.
    private func noteEndTimes() {
        if self.endTimes != nil { self.endTimes = self.children.map(\.latestEnd) }
    }

    /// What is below a child is not what it was.
    private func noteEndTime(ofChild index: Int) {
        if self.endTimes != nil { self.endTimes?[index] = self.children[index].latestEnd }
    }

    func childIndex(_ key: [UInt8]) -> Int {
        let (index, isThere) = self.keys.find(key, .inKeys)
        return isThere ? index + 1 : index
    }

    /// Whether the node has to be split for one more key.
    private func isFull(for key: [UInt8], nameCount: Int = 0) -> (byCount: Bool, byBytes: Bool) {
        let byBytes =
            self.keys.count >= Self.entriesFew
            && self.keys.restBytes(inserting: key, nameCount: nameCount) > Self.bytesMax
        return (self.entryCount >= Self.entriesMax, byBytes)
    }

    func insert(_ key: [UInt8], _ value: Value, isRightEdge: Bool, _ change: inout Change) -> Split? {
        guard !self.isLeaf else { return self.insertIntoLeaf(key, value, &change) }
        let index = self.childIndex(key)
        let isAtEnd = isRightEdge && index == self.children.count - 1
        guard let split = self.children[index].insert(key, value, isRightEdge: isAtEnd, &change) else {
            self.noteEndTime(ofChild: index)
            return nil
        }
        let before = self.footprint
        let own = self.insert(split, at: index, isRightEdge: isAtEnd)
        change.bytes += self.footprint - before + (own?.right.footprint ?? 0)
        return own
    }

    private func insertIntoLeaf(_ key: [UInt8], _ value: Value, _ change: inout Change) -> Split? {
        let (index, isThere) = self.keys.find(key, self.names)
        if isThere {
            self.chains[index] = value.chain
            return nil
        }
        change.entries += 1
        let before = self.footprint
        let full = self.isFull(for: key, nameCount: value.nameCount)
        guard full.byCount || full.byBytes else {
            self.place(key, value, at: index)
            change.bytes += self.footprint - before
            return nil
        }
        let right: IndexNode
        if index == self.keys.count {
            // The key comes last: what is here stays full.
            right = IndexNode(key, value, in: self.scope)
        } else if full.byBytes && index == 0 {
            // The key may have little in common with the others, and giving them a shorter prefix would cost much.
            right = IndexNode(keys: self.keys, chains: self.chains, endTimes: self.endTimes, in: self.scope)
            self.keys = KeyBlock(key, nameCount: value.nameCount)
            (self.chains, self.endTimes) = ([value.chain], value.endTime.map { [$0] })
        } else {
            right = self.splitLeaf(at: self.keys.count / 2)
            let isLeft = index <= self.keys.count
            (isLeft ? self : right).place(key, value, at: isLeft ? index : index - self.keys.count)
        }
        change.bytes += self.footprint - before + right.footprint
        return Split(separator: KeyBlock.separator(self.named, right.named), right: right)
    }

    private convenience init(_ key: [UInt8], _ value: Value, in scope: IndexDefinition.Scope?) {
        let keys = KeyBlock(key, nameCount: value.nameCount)
        self.init(keys: keys, chains: [value.chain], endTimes: value.endTime.map { [$0] }, in: scope)
    }

    private func place(_ key: [UInt8], _ value: Value, at index: Int) {
        self.keys.insert(key, nameCount: value.nameCount, at: index, self.names)
        self.chains.makeRoom()
        self.chains.insert(value.chain, at: index)
        guard let endTime = value.endTime else { return }
        self.endTimes?.makeRoom()
        self.endTimes?.insert(endTime, at: index)
    }

    private func splitLeaf(at middle: Int) -> IndexNode {
        let right = IndexNode(
            keys: self.keys.part(middle..<self.keys.count, self.names),
            chains: Array(self.chains[middle...]),
            endTimes: self.endTimes.map { Array($0[middle...]) },
            in: self.scope
        )
        self.keys = self.keys.part(0..<middle, self.names)
        self.chains = Array(self.chains[..<middle])
        self.endTimes = self.endTimes.map { Array($0[..<middle]) }
        return right
    }

    /// Puts the right half of the child at `index` behind it.
    private func insert(_ split: Split, at index: Int, isRightEdge: Bool) -> Split? {
        let own = self.place(split, at: index, isRightEdge: isRightEdge)
        self.noteEndTimes()
        own?.right.noteEndTimes()
        return own
    }

    private func place(_ split: Split, at index: Int, isRightEdge: Bool) -> Split? {
        let full = self.isFull(for: split.separator)
        let last = self.keys.count
        guard last > 0, full.byCount || full.byBytes else {
            self.keys.insert(split.separator, at: index, .inKeys)
            self.children.makeRoom()
            self.children.insert(split.right, at: index + 1)
            return nil
        }
        if index == last, isRightEdge || full.byBytes {
            let separator = self.key(at: last - 1)
            let right = IndexNode(separators: KeyBlock(split.separator), children: [self.children[last], split.right])
            (self.keys, self.children) = (self.keys.part(0..<(last - 1), .inKeys), Array(self.children[..<last]))
            return Split(separator: separator, right: right)
        }
        if index == 0, full.byBytes {
            let separator = self.key(at: 0)
            let right = IndexNode(separators: self.keys.part(1..<last, .inKeys), children: Array(self.children[1...]))
            (self.keys, self.children) = (KeyBlock(split.separator), [self.children[0], split.right])
            return Split(separator: separator, right: right)
        }
        let middle = self.children.count / 2
        let separator = self.key(at: middle - 1)
        let right = IndexNode(
            separators: self.keys.part(middle..<last, .inKeys),
            children: Array(self.children[middle...])
        )
        (self.keys, self.children) = (self.keys.part(0..<(middle - 1), .inKeys), Array(self.children[..<middle]))
        let target = index < middle ? self : right
        let place = index < middle ? index : index - middle
        target.keys.insert(split.separator, at: place, .inKeys)
        target.children.insert(split.right, at: place + 1)
        return Split(separator: separator, right: right)
    }
}

// MARK: Removal

extension IndexNode {
    func remove(_ key: [UInt8], _ change: inout Change) {
        guard !self.isLeaf else { return self.removeFromLeaf(key, &change) }
        let index = self.childIndex(key)
        let child = self.children[index]
        child.remove(key, &change)
        guard change.entries < 0 else { return }
        guard child.entryCount < Self.entriesMin else { return self.noteEndTime(ofChild: index) }
        let before = self.footprint
        if child.entryCount == 0 {
            change.bytes -= child.footprint
            self.removeChild(index)
        } else if index > 0, self.join(index - 1, &change) {
        } else if index + 1 < self.children.count {
            _ = self.join(index, &change)
        }
        self.noteEndTimes()
        change.bytes += self.footprint - before
    }

    private func removeFromLeaf(_ key: [UInt8], _ change: inout Change) {
        let (index, isThere) = self.keys.find(key, self.names)
        guard isThere else { return }
        let before = self.footprint
        self.keys.remove(at: index)
        self.chains.remove(at: index)
        _ = self.endTimes?.remove(at: index)
        if self.chains.hasTooMuchRoom || self.keys.hasTooMuchRoom { self.letRoomGo() }
        change.entries -= 1
        change.bytes += self.footprint - before
    }

    /// Of a leaf that has lost most of what it had.
    private func letRoomGo() {
        self.keys = self.keys.part(0..<self.keys.count, self.names)
        self.chains = self.chains.map { $0 }
        self.endTimes = self.endTimes.map { $0.map { $0 } }
    }

    private func removeChild(_ index: Int) {
        self.children.remove(at: index)
        if self.keys.count > 0 { self.keys.remove(at: max(index - 1, 0)) }
    }

    /// Joins the child at an index with the next one, when both together stay well below a node's bounds.
    private func join(_ index: Int, _ change: inout Change) -> Bool {
        let (left, right) = (self.children[index], self.children[index + 1])
        guard left.entryCount + right.entryCount <= Self.entriesMax - Self.entriesMin else { return false }
        let before = left.footprint + right.footprint
        if left.isLeaf {
            guard left.named.fits(joining: right.named) else { return false }
            left.keys = KeyBlock.joined(left.named, right.named)
            left.chains += right.chains
            left.endTimes? += right.endTimes ?? []
        } else {
            let separator = KeyBlock.Named(KeyBlock(self.key(at: index)), .inKeys)
            guard left.named.fits(joining: separator) else { return false }
            let keys = KeyBlock.Named(KeyBlock.joined(left.named, separator), .inKeys)
            guard keys.fits(joining: right.named) else { return false }
            left.keys = KeyBlock.joined(keys, right.named)
            left.children += right.children
            left.noteEndTimes()
        }
        self.removeChild(index + 1)
        change.bytes += left.footprint - before
        return true
    }
}

extension KeyBlock.Named {
    fileprivate func fits(joining right: KeyBlock.Named) -> Bool {
        guard self.keys.count > 0, right.keys.count > 0 else { return true }
        return KeyBlock.joinedSize(self, right).restBytes <= IndexNode.bytesMax
    }
}

extension [DocumentChain] {
    /// More than a half of what is used, and than one insertion makes.
    fileprivate var hasTooMuchRoom: Bool { self.capacity > self.count + self.count / 2 + IndexNode.entriesSpare + 1 }
}

extension Array {
    /// Makes room for what comes next and a little besides. Left alone an array doubles, and a node that is two thirds full
    /// has as much room as one that is full.
    mutating func makeRoom(for added: Int = 1, spare: Int = IndexNode.entriesSpare) {
        let wanted = self.count + added
        if wanted > self.capacity { self.reserveCapacity(wanted + spare) }
    }
}
