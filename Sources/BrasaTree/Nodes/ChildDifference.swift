/// The children in which two versions of a node differ, in key order. Pages that both versions share are skipped, so
/// the cost follows the change and not the node.
struct ChildDifference: IteratorProtocol, Sequence {
    struct Element {
        let key: TreeKey
        let old: TreeNode
        let new: TreeNode
    }

    private var old: Side
    private var new: Side

    init(_ old: TreeNode, _ new: TreeNode) {
        self.old = Side(old.root)
        self.new = Side(new.root)
    }

    /// Children that are equal beneath but not the same pages come up, too.
    mutating func next() -> Element? {
        while self.align() {
            let order = self.order()
            let left = order <= 0 ? self.old.node : .absent
            let right = order >= 0 ? self.new.node : .absent
            defer {
                if order <= 0 { self.old.advance() }
                if order >= 0 { self.new.advance() }
            }
            if left.isSame(as: right) { continue }
            let side = order <= 0 ? self.old : self.new
            return Element(key: side.key, old: left, new: right)
        }
        return nil
    }

    /// Skips what both have, and opens pages down to leaves. False when both are at their ends.
    private mutating func align() -> Bool {
        while true {
            self.old.dropEmpty()
            self.new.dropEmpty()
            if let left = self.old.wholePage, let right = self.new.wholePage, left === right {
                self.old.skip()
                self.new.skip()
                continue
            }
            let (left, right) = (self.old.forkLevel, self.new.forkLevel)
            if left == 0, right == 0 { return !self.old.isAtEnd || !self.new.isAtEnd }
            if left >= right { self.old.open() }
            if right >= left { self.new.open() }
        }
    }

    private func order() -> Int {
        if self.old.isAtEnd { return 1 }
        if self.new.isAtEnd { return -1 }
        return self.old.withKey { left in self.new.withKey { KeyOrder.compare(left, $0) } }
    }

    /// One version's pages that are still to be walked, the next one last.
    private struct Side {
        private var pages: [Page]
        /// In the next page, when that is a leaf.
        private var index = 0

        init(_ root: Page?) {
            self.pages = root.map { [$0] } ?? []
        }

        var isAtEnd: Bool { self.pages.isEmpty }
        var wholePage: Page? { self.index == 0 ? self.pages.last : nil }

        /// How many levels of pages are beneath the next page.
        var forkLevel: Int {
            var level = 0
            var page = self.pages.last
            while case .pages(let pages)? = page?.content {
                level += 1
                page = pages.first
            }
            return level
        }

        mutating func skip() {
            self.pages.removeLast()
            self.index = 0
        }

        mutating func dropEmpty() {
            if let page = self.pages.last, !page.isFork, self.index >= page.entryCount { self.skip() }
        }

        mutating func open() {
            guard case .pages(let pages)? = self.pages.last?.content else { return }
            self.pages.removeLast()
            self.pages += pages.reversed()
        }

        func withKey(_ body: (UnsafeBufferPointer<UInt8>) -> Int) -> Int {
            self.pages.last?.keys.withView { body($0[self.index]) } ?? 0
        }

        /// Only where there is a leaf page.
        var key: TreeKey { self.pages[self.pages.count - 1].keys.key(at: self.index) }

        var node: TreeNode {
            guard let page = self.pages.last, case .children(let children) = page.content else { return .absent }
            return children[self.index]
        }

        mutating func advance() {
            self.index += 1
        }
    }
}
