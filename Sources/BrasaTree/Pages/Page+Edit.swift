extension Page {
    /// What became of a page by one write.
    enum Edit {
        case unchanged
        case replaced(Page)
        case split(Page, Page)
        case emptied
    }

    /// Sets or, with an absent node, removes one child.
    /// Complexity: copies one page of at most 32 entries per level.
    func setting(_ node: TreeNode, for key: KeyOrder.Probe, isRightEdge: Bool = true) -> Edit {
        let (index, isThere) = self.keys.find(key)
        switch self.content {
        case .children(var children):
            guard isThere else {
                guard !node.isAbsent else { return .unchanged }
                children = children.inserting(node, at: index)
                let keys = self.keys.inserting(key.bytes, at: index)
                return self.leaf(keys, children, isAppending: isRightEdge && index == children.count - 1)
            }
            if children[index].isSame(as: node) { return .unchanged }
            guard node.isAbsent else {
                children[index] = node
                return .replaced(Page(keys: self.keys, children: children, priority: self.priority))
            }
            guard children.count > 1 else { return .emptied }
            children = children.removing(at: index)
            return .replaced(Page(keys: self.keys.removing(at: index), children: children, priority: self.priority))
        case .pages(let pages):
            let index = isThere ? index : max(index - 1, 0)
            let isLast = isRightEdge && index == pages.count - 1
            return self.replacing(index, by: pages[index].setting(node, for: key, isRightEdge: isLast), isLast: isLast)
        }
    }

    private func replacing(_ index: Int, by edit: Edit, isLast: Bool) -> Edit {
        guard case .pages(var pages) = self.content else { return .unchanged }
        switch edit {
        case .unchanged:
            return .unchanged
        case .emptied:
            guard pages.count > 1 else { return .emptied }
            pages = pages.removing(at: index)
            return .replaced(Page(keys: self.keys.removing(at: index), pages: pages, priority: self.priority))
        case .replaced(let page):
            let hasShrunk = page.entryCount < pages[index].entryCount
            pages[index] = page
            let keys = page.withLowest { self.keys.replacing(at: index, by: $0) }
            guard hasShrunk, page.entryCount < Page.entriesMin, pages.count > 1 else {
                return .replaced(Page(keys: keys, pages: pages, priority: self.priority))
            }
            return .replaced(self.evened(keys, pages, at: max(index - 1, 0)))
        case .split(let left, let right):
            pages[index] = left
            pages = pages.inserting(right, at: index + 1)
            var keys = left.withLowest { self.keys.replacing(at: index, by: $0) }
            keys = right.withLowest { keys.inserting($0, at: index + 1) }
            return self.fork(keys, pages, isAppending: isLast)
        }
    }

    /// One leaf or two. A leaf that grows at the tree's right edge stays full, so that ascending keys fill pages densely.
    private func leaf(_ keys: KeyTable, _ children: [TreeNode], isAppending: Bool) -> Edit {
        guard children.count > Page.entriesMax else {
            return .replaced(Page(keys: keys, children: children, priority: self.priority))
        }
        let middle = isAppending ? Page.entriesMax : children.count / 2
        return .split(
            Page(keys: keys[0..<middle], children: Array(children[..<middle])),
            Page(keys: keys[middle..<children.count], children: Array(children[middle...]))
        )
    }

    private func fork(_ keys: KeyTable, _ pages: [Page], isAppending: Bool) -> Edit {
        guard pages.count > Page.entriesMax else {
            return .replaced(Page(keys: keys, pages: pages, priority: self.priority))
        }
        let middle = isAppending ? Page.entriesMax : pages.count / 2
        return .split(
            Page(keys: keys[0..<middle], pages: Array(pages[..<middle])),
            Page(keys: keys[middle..<pages.count], pages: Array(pages[middle...]))
        )
    }

    /// The pages at `index` and after it made one, or two that share their entries evenly.
    private func evened(_ keys: KeyTable, _ pages: [Page], at index: Int) -> Page {
        let shared = Page.evened(pages[index], pages[index + 1])
        let pages = Array(pages[..<index] + shared + pages[(index + 2)...])
        var keys = keys
        if shared.count == 2 {
            keys = shared[1].withLowest { keys.replacing(at: index + 1, by: $0) }
        } else {
            keys = keys.removing(at: index + 1)
        }
        return Page(keys: keys, pages: pages, priority: self.priority)
    }

    private static func evened(_ left: Page, _ right: Page) -> [Page] {
        let count = left.entryCount + right.entryCount
        let parts = count <= Page.entriesMax ? [0..<count] : [0..<(count / 2), (count / 2)..<count]
        return parts.map { range in
            let keys = KeyTable.joined(left.keys, right.keys, range)
            switch (left.content, right.content) {
            case (.children(let left), .children(let right)):
                return Page(keys: keys, children: Array((left + right)[range]))
            case (.pages(let left), .pages(let right)):
                return Page(keys: keys, pages: Array((left + right)[range]))
            default:
                preconditionFailure("pages beside each other are of one level")
            }
        }
    }
}
