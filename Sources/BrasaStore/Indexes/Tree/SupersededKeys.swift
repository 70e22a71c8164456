import BrasaQueries

/// Keys that documents had, each with the time at which it ended: with the version whose successor has it no more. They
/// stand apart from the current ones, so that a reader of the present looks at none of them, and one of the past only at
/// those that ended after its time. The same key may have ended several times.
///
/// A reference type without a guard of its own, like the tree in it.
final class SupersededKeys {
    let tree = IndexTree(.ended)

    /// In the tree the end's time stands behind the key, which leaves the order as it is: no key is the beginning of
    /// another.
    private static let timeCount = 8

    private static func treeKey(_ key: [UInt8], _ endTime: Int64) -> [UInt8] {
        withUnsafeBytes(of: endTime.bigEndian) { key + $0 }
    }

    func insert(_ key: [UInt8], of chain: DocumentChain, endTime: Int64) {
        self.tree.insert(Self.treeKey(key, endTime), chain, endTime: endTime)
    }

    /// Whether it was there.
    @discardableResult
    func remove(_ key: [UInt8], endTime: Int64) -> Bool { self.tree.remove(Self.treeKey(key, endTime)) }

    /// Whether there is anything for a reader at `time` to look at.
    func hasEnds(after time: Int64) -> Bool { self.tree.root.latestEnd > time }

    /// Those that a reader at `time` may have to look at; nil when there is none anywhere.
    func cursor(_ position: IndexPosition, at time: Int64) -> IndexTree.Cursor? {
        self.hasEnds(after: time) ? self.tree.cursor(position, endingAfter: time) : nil
    }

    /// An entry's key as it was inserted.
    static func key(_ entry: IndexTree.Entry) -> [UInt8] { Array(entry.key.dropLast(Self.timeCount)) }
}
