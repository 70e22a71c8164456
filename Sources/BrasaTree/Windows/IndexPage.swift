/// A page of a `TreeIndex`: a persistent B+tree of entries that knows how many are beneath each page.
final class IndexPage: Sendable {
    enum Content: Sendable {
        case entries([IndexEntry])
        case pages([IndexPage])
    }

    static let entriesMax = 64
    static let entriesMin = 16

    let content: Content
    let count: Int
    let lowest: IndexEntry?

    init(entries: [IndexEntry]) {
        self.content = .entries(entries)
        self.count = entries.count
        self.lowest = entries.first
    }

    init(pages: [IndexPage]) {
        self.content = .pages(pages)
        self.count = pages.reduce(0) { $0 + $1.count }
        self.lowest = pages.first?.lowest
    }

    static func build(_ sorted: [IndexEntry]) -> IndexPage {
        var level = self.parts(of: sorted.count).map { IndexPage(entries: Array(sorted[$0])) }
        while level.count > 1 {
            level = self.parts(of: level.count).map { IndexPage(pages: Array(level[$0])) }
        }
        return level.first ?? IndexPage(entries: [])
    }

    private static func parts(of count: Int) -> [Range<Int>] {
        let pages = (count + self.entriesMax - 1) / self.entriesMax
        return (0..<pages).map { (count * $0 / pages)..<(count * ($0 + 1) / pages) }
    }

    private var size: Int {
        switch self.content {
        case .entries(let entries): entries.count
        case .pages(let pages): pages.count
        }
    }

    /// The pages that take this one's place: one, two after a split, none when it is empty.
    func inserting(_ entry: IndexEntry) -> [IndexPage] {
        switch self.content {
        case .entries(let entries):
            let index = entries.partitioningIndex { !($0 < entry) }
            if entries.indices.contains(index), entries[index] == entry { return [self] }
            return Self.halves(entries.inserting(entry, at: index)).map(IndexPage.init(entries:))
        case .pages(var pages):
            let index = Self.index(of: entry, in: pages)
            pages.replaceSubrange(index...index, with: pages[index].inserting(entry))
            return Self.halves(pages).map(IndexPage.init(pages:))
        }
    }

    func removing(_ entry: IndexEntry) -> [IndexPage] {
        switch self.content {
        case .entries(let entries):
            let index = entries.partitioningIndex { !($0 < entry) }
            guard entries.indices.contains(index), entries[index] == entry else { return [self] }
            return entries.count > 1 ? [IndexPage(entries: entries.removing(at: index))] : []
        case .pages(var pages):
            let index = Self.index(of: entry, in: pages)
            pages.replaceSubrange(index...index, with: pages[index].removing(entry))
            if pages.indices.contains(index), pages.count > 1, pages[index].size < Self.entriesMin {
                let left = max(index - 1, 0)
                pages.replaceSubrange(left...(left + 1), with: Self.evened(pages[left], pages[left + 1]))
            }
            return pages.isEmpty ? [] : [IndexPage(pages: pages)]
        }
    }

    /// The page with one child taken for the child.
    var collapsed: IndexPage {
        var page = self
        while case .pages(let pages) = page.content, pages.count == 1 { page = pages[0] }
        return page
    }

    private static func index(of entry: IndexEntry, in pages: [IndexPage]) -> Int {
        let after = pages.partitioningIndex { page in page.lowest.map { entry < $0 } ?? false }
        return max(after - 1, 0)
    }

    private static func halves<Element>(_ elements: [Element]) -> [[Element]] {
        guard elements.count > self.entriesMax else { return [elements] }
        let middle = elements.count / 2
        return [Array(elements[..<middle]), Array(elements[middle...])]
    }

    private static func evened(_ left: IndexPage, _ right: IndexPage) -> [IndexPage] {
        switch (left.content, right.content) {
        case (.entries(let left), .entries(let right)): self.halves(left + right).map(IndexPage.init(entries:))
        case (.pages(let left), .pages(let right)): self.halves(left + right).map(IndexPage.init(pages:))
        default: [left, right]
        }
    }

    /// How many entries come before the first for which `isAfter` holds; it holds for a suffix of all entries.
    func rank(where isAfter: (IndexEntry) -> Bool) -> Int {
        var page = self
        var rank = 0
        while true {
            switch page.content {
            case .entries(let entries): return rank + entries.partitioningIndex(where: isAfter)
            case .pages(let pages):
                let after = pages.partitioningIndex { page in page.lowest.map(isAfter) ?? false }
                let index = max(after - 1, 0)
                for before in pages[..<index] { rank += before.count }
                page = pages[index]
            }
        }
    }

    func entry(at rank: Int) -> IndexEntry? {
        var page = self
        var rest = rank
        while true {
            switch page.content {
            case .entries(let entries): return entries.indices.contains(rest) ? entries[rest] : nil
            case .pages(let pages):
                var index = 0
                while index < pages.count - 1, rest >= pages[index].count {
                    rest -= pages[index].count
                    index += 1
                }
                page = pages[index]
            }
        }
    }
}
