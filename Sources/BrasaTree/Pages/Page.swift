internal import Synchronization

/// A page of a node's children: a persistent B+tree in key order. A leaf page has children with their keys; a fork has
/// pages, each with its lowest key. The root page of a node stands for the node and carries its priority.
///
/// Pages do not change: a write makes new ones along its path and shares the rest. Two things do, invisibly: the hash,
/// which is written once, and `content`, which `deinit` empties.
final class Page: Sendable {
    enum Content: Sendable {
        case children([TreeNode])
        case pages([Page])
    }

    static let entriesMax = 32
    static let entriesMin = 8

    let keys: KeyTable
    /// Only `deinit` changes it, of a page that nobody else holds.
    nonisolated(unsafe) private(set) var content: Content
    let priority: TreePriority
    let summary: PageSummary
    /// The simple hash of the node whose root page this is, once it was asked for.
    let hash = AtomicLazyReference<HashText>()

    init(keys: KeyTable, children: [TreeNode], priority: TreePriority = .none) {
        self.keys = keys
        self.content = .children(children)
        self.priority = priority
        self.summary = keys.withView { PageSummary(children, $0) }
    }

    init(keys: KeyTable, pages: [Page], priority: TreePriority = .none) {
        self.keys = keys
        self.content = .pages(pages)
        self.priority = priority
        self.summary = PageSummary(pages, keyBytes: keys.withView(\.byteCount))
    }

    /// A fork over pages in order.
    convenience init(over pages: [Page], priority: TreePriority = .none) {
        let byteCount = pages.reduce(0) { size, page in page.withLowest { size + $0.count } }
        let keys = KeyTable(count: pages.count, byteCount: byteCount) { writer in
            for page in pages { page.withLowest { writer.append($0) } }
        }
        self.init(keys: keys, pages: pages, priority: priority)
    }

    /// The same page as the root of a node with another priority.
    init(_ page: Page, priority: TreePriority) {
        self.keys = page.keys
        self.content = page.content
        self.summary = page.summary
        self.priority = priority
    }

    var entryCount: Int {
        switch self.content {
        case .children(let children): children.count
        case .pages(let pages): pages.count
        }
    }

    var isFork: Bool { if case .pages = self.content { true } else { false } }

    func withLowest<Output>(_ body: (UnsafeBufferPointer<UInt8>) -> Output) -> Output {
        self.keys.withView { body($0[0]) }
    }

    func child(_ probe: KeyOrder.Probe) -> TreeNode {
        var page = self
        while true {
            let (index, isThere) = page.keys.find(probe)
            switch page.content {
            case .children(let children): return isThere ? children[index] : .absent
            case .pages(let pages): page = pages[isThere ? index : max(index - 1, 0)]
            }
        }
    }

    /// How deep a node may be for its release to be left to reference counting, which recurses.
    private static let heightReleased = 64

    deinit {
        guard self.summary.height > Page.heightReleased else { return }
        var pending: [Page] = []
        self.release(into: &pending)
        while var page = pending.popLast() {
            if isKnownUniquelyReferenced(&page) { page.release(into: &pending) }
        }
    }

    private func release(into pending: inout [Page]) {
        switch self.content {
        case .children(let children):
            for case .inner(let node) in children where node.root.summary.height > Page.heightReleased {
                pending.append(node.root)
            }
        case .pages(let pages):
            pending += pages
        }
        self.content = .children([])
    }
}
