import BrasaQueries

extension IndexTree {
    /// A place between two entries, for walking either way. Void once the tree changes.
    struct Cursor {
        /// From the root to a leaf: the node and the index of the child below it; in the leaf the index of the entry
        /// after the place, which may be one past the leaf's last.
        private var steps: [(node: IndexNode, index: Int)] = []
        private var leaf: IndexNode
        private var index = 0
        /// Keys that ended at this time or before are passed over.
        private let time: Int64?

        fileprivate init(_ root: IndexNode, _ position: IndexPosition, endingAfter time: Int64?) {
            self.time = time
            self.leaf = root
            while !self.leaf.isLeaf {
                // A separator that equals the place: what is right of it comes after the place.
                let index = position.isAfter ? self.leaf.search(position) : self.leaf.childIndex(position.prefix)
                self.steps.append((self.leaf, index))
                self.leaf = self.leaf.children[index]
            }
            self.index = self.leaf.search(position)
        }

        /// The entry after the place; the place moves behind it.
        mutating func next() -> Entry? {
            while true {
                if let index = self.leaf.firstIndex(from: self.index, endingAfter: self.time) {
                    self.index = index + 1
                    return Entry(leaf: self.leaf, index: index)
                }
                guard self.moveToNextLeaf() else { return nil }
            }
        }

        /// The entry before the place; the place moves in front of it.
        mutating func previous() -> Entry? {
            while true {
                if let index = self.leaf.lastIndex(before: self.index, endingAfter: self.time) {
                    self.index = index
                    return Entry(leaf: self.leaf, index: index)
                }
                guard self.moveToPreviousLeaf() else { return nil }
            }
        }

        /// The entries behind the place that stand in one leaf and before `end`, so many at most; the place moves behind them.
        /// None: there are no more. For trees of keys that did not end.
        mutating func nextRun(_ limit: Int, before end: IndexPosition) -> Run {
            if self.index == self.leaf.chains.count, !self.moveToNextLeaf() {
                return Run(leaf: self.leaf, indices: 0..<0)
            }
            let start = self.index
            var stop = limit < self.leaf.chains.count - start ? start + limit : self.leaf.chains.count
            if stop > start, !self.leaf.isBefore(end, at: stop - 1) {
                stop = max(start, self.leaf.search(end))
            }
            self.index = stop
            return Run(leaf: self.leaf, indices: start..<stop)
        }

        /// The same of those before the place and not before `end`.
        mutating func previousRun(_ limit: Int, notBefore end: IndexPosition) -> Run {
            if self.index == 0, !self.moveToPreviousLeaf() { return Run(leaf: self.leaf, indices: 0..<0) }
            let stop = self.index
            var start = max(stop - limit, 0)
            if start < stop, self.leaf.isBefore(end, at: start) {
                start = min(stop, self.leaf.search(end))
            }
            self.index = start
            return Run(leaf: self.leaf, indices: start..<stop)
        }

        /// To the next one with something for the cursor's time; stays where it is when there is none.
        private mutating func moveToNextLeaf() -> Bool {
            for depth in self.steps.indices.reversed() {
                let (node, index) = self.steps[depth]
                guard let next = node.firstIndex(from: index + 1, endingAfter: self.time) else { continue }
                self.steps.removeSubrange((depth + 1)...)
                self.steps[depth].index = next
                self.leaf = node.children[next]
                while !self.leaf.isLeaf {
                    let first = self.leaf.firstIndex(from: 0, endingAfter: self.time) ?? 0
                    self.steps.append((self.leaf, first))
                    self.leaf = self.leaf.children[first]
                }
                self.index = 0
                return true
            }
            return false
        }

        private mutating func moveToPreviousLeaf() -> Bool {
            for depth in self.steps.indices.reversed() {
                let (node, index) = self.steps[depth]
                guard let previous = node.lastIndex(before: index, endingAfter: self.time) else { continue }
                self.steps.removeSubrange((depth + 1)...)
                self.steps[depth].index = previous
                self.leaf = node.children[previous]
                while !self.leaf.isLeaf {
                    let count = self.leaf.children.count
                    let last = self.leaf.lastIndex(before: count, endingAfter: self.time) ?? count - 1
                    self.steps.append((self.leaf, last))
                    self.leaf = self.leaf.children[last]
                }
                self.index = self.leaf.keys.count
                return true
            }
            return false
        }
    }

    /// Entries side by side where they stand.
    struct Run {
        let leaf: IndexNode
        let indices: Range<Int>
    }

    /// An entry where it stands; its key is copied only when asked for.
    struct Entry {
        fileprivate let leaf: IndexNode
        fileprivate let index: Int

        var chain: DocumentChain { self.leaf.chains[self.index] }
        var key: [UInt8] { self.leaf.key(at: self.index) }

        func isBefore(_ position: IndexPosition) -> Bool { self.leaf.isBefore(position, at: self.index) }
    }

    /// In a tree of keys that ended, `time` keeps to those that did later.
    func cursor(_ position: IndexPosition, endingAfter time: Int64? = nil) -> Cursor {
        Cursor(self.root, position, endingAfter: time)
    }
}
