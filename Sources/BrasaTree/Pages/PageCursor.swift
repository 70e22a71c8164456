/// A place among a node's children, which moves both ways. Past either end it has no child.
struct PageCursor {
    private var trail: [(pages: [Page], index: Int)] = []
    private(set) var page: Page
    private(set) var index: Int

    /// At the first child.
    init(first root: Page) {
        self.page = root
        self.index = 0
        self.descend(toLast: false)
    }

    /// At the last child.
    init(last root: Page) {
        self.page = root
        self.index = 0
        self.descend(toLast: true)
    }

    /// At the first child that is not before the key.
    init(_ root: Page, notBefore key: KeyOrder.Probe) {
        self.page = root
        self.index = 0
        while true {
            let (index, isThere) = self.page.keys.find(key)
            guard case .pages(let pages) = self.page.content else {
                self.index = index
                break
            }
            self.enter(pages, isThere ? index : max(index - 1, 0))
        }
        if self.index == self.page.entryCount { self.leavePage(forward: true) }
    }

    /// At the child before which there are `rank` others; past the end when there are not that many.
    init(_ root: Page, rank: Int) {
        self.page = root
        self.index = 0
        var rest = rank
        while case .pages(let pages) = self.page.content {
            var index = 0
            while index < pages.count - 1, rest >= pages[index].summary.children {
                rest -= pages[index].summary.children
                index += 1
            }
            self.enter(pages, index)
        }
        self.index = min(rest, self.page.entryCount)
    }

    /// Nil past an end.
    var node: TreeNode? {
        guard case .children(let children) = self.page.content, children.indices.contains(self.index) else {
            return nil
        }
        return children[self.index]
    }

    /// Only where there is a child.
    func withKey<Output, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        try self.page.keys.withView { view throws(Failure) in try body(view[self.index]) }
    }

    var key: TreeKey { self.withKey(TreeKey.init(checked:)) }

    mutating func advance() {
        self.index += 1
        if self.index >= self.page.entryCount { self.leavePage(forward: true) }
    }

    mutating func retreat() {
        self.index -= 1
        if self.index < 0 { self.leavePage(forward: false) }
    }

    private mutating func enter(_ pages: [Page], _ index: Int) {
        self.trail.append((pages, index))
        self.page = pages[index]
    }

    private mutating func descend(toLast: Bool) {
        while case .pages(let pages) = self.page.content { self.enter(pages, toLast ? pages.count - 1 : 0) }
        self.index = toLast ? self.page.entryCount - 1 : 0
    }

    /// To the next page's first child or the previous page's last, if there is one.
    private mutating func leavePage(forward: Bool) {
        var depth = self.trail.count - 1
        while depth >= 0 {
            let next = self.trail[depth].index + (forward ? 1 : -1)
            if self.trail[depth].pages.indices.contains(next) {
                self.trail.removeSubrange((depth + 1)...)
                self.trail[depth].index = next
                self.page = self.trail[depth].pages[next]
                self.descend(toLast: !forward)
                return
            }
            depth -= 1
        }
    }

    /// How many children are before the key.
    static func rank(_ key: KeyOrder.Probe, in root: Page) -> Int {
        var page = root
        var rank = 0
        while true {
            let (index, isThere) = page.keys.find(key)
            guard case .pages(let pages) = page.content else { return rank + index }
            let child = isThere ? index : max(index - 1, 0)
            for before in pages[..<child] { rank += before.summary.children }
            page = pages[child]
        }
    }
}
