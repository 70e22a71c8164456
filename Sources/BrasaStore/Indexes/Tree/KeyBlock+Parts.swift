import BrasaDocuments

/// New blocks out of old ones.
extension KeyBlock {
    /// The keys in a range, with as long a prefix as they allow.
    func part(_ range: Range<Int>, _ names: KeyNames) -> KeyBlock {
        guard let first = range.first, let last = range.last else { return KeyBlock() }
        let common = Self.commonCount(self.key(at: first, names), self.key(at: last, names))
        return self.copy(range, prefixCount: common, names)
    }

    /// The keys in a range, all of which begin with the first `prefixCount` bytes of the first.
    func copy(_ range: Range<Int>, prefixCount: Int, _ names: KeyNames) -> KeyBlock {
        var block = KeyBlock()
        guard let first = range.first else { return block }
        let prefix = self.key(at: first, names)[..<prefixCount]
        let total = prefixCount + self.restBytes(of: range, behind: prefixCount)
        let nameCount = self.nameCount(of: first, inFirst: prefixCount)
        block.begin(prefix: prefix, nameCount: nameCount, capacity: total, count: range.count)
        block.append(self, range, names)
        return block
    }

    /// A block's keys with their names.
    struct Named {
        let keys: KeyBlock
        let names: KeyNames

        init(_ keys: KeyBlock, _ names: KeyNames) {
            self.keys = keys
            self.names = names
        }

        var first: [UInt8] { self.keys.key(at: 0, self.names) }
        var last: [UInt8] { self.keys.key(at: self.keys.count - 1, self.names) }
    }

    /// The keys of two blocks, the second's behind the first's.
    static func joined(_ left: Named, _ right: Named) -> KeyBlock {
        guard left.keys.count > 0 else { return right.keys }
        guard right.keys.count > 0 else { return left.keys }
        let (prefixCount, restBytes) = self.joinedSize(left, right)
        let nameCount = left.keys.nameCount(of: 0, inFirst: prefixCount)
        let count = left.keys.count + right.keys.count
        var block = KeyBlock()
        block.begin(
            prefix: left.first[..<prefixCount],
            nameCount: nameCount,
            capacity: prefixCount + restBytes,
            count: count
        )
        for part in [left, right] { block.append(part.keys, 0..<part.keys.count, part.names) }
        return block
    }

    /// The prefix and the rests of two blocks, neither of them empty, as one.
    static func joinedSize(_ left: Named, _ right: Named) -> (prefixCount: Int, restBytes: Int) {
        let common = self.commonCount(left.first, right.last)
        let bytes = [left.keys, right.keys].map { $0.restBytes(of: 0..<$0.count, behind: common) }
        return (common, bytes.reduce(0, +))
    }

    /// The shortest key that is above all of `left` and at most every one of `right`.
    static func separator(_ left: Named, _ right: Named) -> [UInt8] {
        let first = right.first
        return Array(first.prefix(self.commonCount(left.last, first) + 1))
    }

    private static func commonCount(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left.withUnsafeBytes { left in right.withUnsafeBytes { ByteOrder.firstMismatch(left, $0) } }
    }
}
