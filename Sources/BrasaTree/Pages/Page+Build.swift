extension Page {
    /// A node's pages from children in key order, without equal keys; nil for none. All levels are filled evenly.
    static func build(
        count: Int,
        priority: TreePriority,
        sharing table: KeyTable? = nil,
        _ key: (Int) -> UnsafeBufferPointer<UInt8>,
        _ node: (Int) -> TreeNode
    ) -> Page? {
        guard count > 0 else { return nil }
        if count <= Page.entriesMax {
            let keys = table.flatMap { $0.holds(count: count, key) ? $0 : nil } ?? KeyTable(0..<count, key)
            return Page(keys: keys, children: (0..<count).map(node), priority: priority)
        }
        let level = Page.parts(of: count).map { range in
            Page(keys: KeyTable(range, key), children: range.map(node))
        }
        return self.fork(over: level, priority: priority)
    }

    /// The root page over leaf pages in order, of which there are several.
    static func fork(over leaves: [Page], priority: TreePriority) -> Page {
        var level = leaves
        while level.count > Page.entriesMax {
            level = Page.parts(of: level.count).map { Page(over: Array(level[$0])) }
        }
        return Page(over: level, priority: priority)
    }

    /// As few ranges as pages are needed for, of sizes that differ by one at most.
    private static func parts(of count: Int) -> [Range<Int>] {
        let pages = (count + Page.entriesMax - 1) / Page.entriesMax
        return (0..<pages).map { (count * $0 / pages)..<(count * ($0 + 1) / pages) }
    }
}

extension KeyTable {
    fileprivate init(_ range: Range<Int>, _ key: (Int) -> UnsafeBufferPointer<UInt8>) {
        let size = range.reduce(0) { $0 + key($1).count }
        self.init(count: range.count, byteCount: size) { writer in
            for index in range { writer.append(key(index)) }
        }
    }
}
