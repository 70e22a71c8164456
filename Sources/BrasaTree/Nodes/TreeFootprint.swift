internal import Synchronization

/// Counts the memory that nodes occupy, what they share once: pages, their arrays, texts, priorities and kept hashes, each
/// as the allocator rounds it. For measurements and reports; it walks everything that it has not seen.
package struct TreeFootprint {
    package private(set) var bytes = 0
    package private(set) var pages = 0
    private var seen: Set<UnsafeRawPointer> = []

    package init() {}

    package mutating func add(_ node: TreeNode) {
        var pending = [node]
        while let node = pending.popLast() {
            switch node {
            case .absent: break
            case .leaf(let scalar): self.add(scalar)
            case .prioritizedLeaf(let leaf):
                guard self.isNew(leaf) else { continue }
                self.bytes += Allocation.rounded(16 + 2 * 16)
                self.add(leaf.scalar)
                self.add(leaf.priority)
            case .inner(let inner): self.add(inner.root, &pending)
            }
        }
    }

    private mutating func add(_ root: Page, _ pending: inout [TreeNode]) {
        var pages = [root]
        while let page = pages.popLast() {
            guard self.isNew(page) else { continue }
            self.pages += 1
            self.bytes += Allocation.rounded(Page.objectBytes)
            if page.keys.withView({ self.isNew($0.identity) }) {
                self.bytes += Allocation.ofArray(page.keys.storageBytes)
            }
            self.add(page.priority)
            if let hash = page.hash.load() {
                self.add(hash)
                if let other = hash.appleOrder.load() { self.add(other) }
            }
            switch page.content {
            case .children(let children):
                self.bytes += Allocation.ofArray(children.capacity * MemoryLayout<TreeNode>.stride)
                pending += children
            case .pages(let forked):
                self.bytes += Allocation.ofArray(forked.capacity * MemoryLayout<Page>.stride)
                pages += forked
            }
        }
    }

    private mutating func add(_ scalar: TreeScalar) {
        if case .string(let text) = scalar { self.add(text) }
    }

    private mutating func add(_ priority: TreePriority) {
        if case .string(let text) = priority { self.add(text) }
    }

    private mutating func add(_ hash: HashText) {
        guard self.isNew(hash) else { return }
        self.bytes += Allocation.rounded(16 + 2 * 8) + Allocation.ofArray(hash.utf8.capacity)
    }

    private mutating func add(_ text: TreeText) {
        guard !text.utf8.isEmpty else { return }
        guard text.utf8.withUnsafeBytes({ $0.baseAddress.map { self.isNew($0) } ?? false }) else { return }
        self.bytes += Allocation.ofArray(text.utf8.capacity)
    }

    private mutating func isNew(_ object: AnyObject) -> Bool {
        self.isNew(UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
    }

    private mutating func isNew(_ address: UnsafeRawPointer) -> Bool { self.seen.insert(address).inserted }
}

/// What the allocator takes for what is asked of it.
enum Allocation {
    /// With the allocator's 8 bytes, in steps of 16.
    static func rounded(_ size: Int) -> Int { (size + 8 + 15) / 16 * 16 }

    /// With an array's own fields.
    static func ofArray(_ contentBytes: Int) -> Int { self.rounded(32 + contentBytes) }
}

extension Page {
    /// An object's header, then the stored properties.
    static var objectBytes: Int {
        16 + MemoryLayout<KeyTable>.stride + MemoryLayout<Content>.stride + MemoryLayout<TreePriority>.stride
            + MemoryLayout<PageSummary>.stride + 8
    }
}

extension KeyTable.View {
    /// Where the keys are, as long as the table lives.
    fileprivate var identity: UnsafeRawPointer { UnsafeRawPointer(self[0].baseAddress.unsafelyUnwrapped) }
}
