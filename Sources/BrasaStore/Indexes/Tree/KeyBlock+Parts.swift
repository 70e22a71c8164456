import BrasaDocuments

/// New blocks out of old ones.
extension KeyBlock {
    /// The keys in a range, with as long a prefix as they allow.
    func part(_ range: Range<Int>) -> KeyBlock {
        guard let first = range.first, let last = range.last else { return KeyBlock() }
        let more = self.bytes.withUnsafeBytes { bytes in
            ByteOrder.firstMismatch(
                UnsafeRawBufferPointer(rebasing: bytes[self.rest(first)]),
                UnsafeRawBufferPointer(rebasing: bytes[self.rest(last)])
            )
        }
        return self.copy(range, prefixCount: self.prefixCount + more)
    }

    /// The keys in a range, all of which begin with the first `prefixCount` bytes of the first.
    func copy(_ range: Range<Int>, prefixCount: Int) -> KeyBlock {
        var block = KeyBlock()
        guard let first = range.first else { return block }
        let prefix = self.key(at: first)[..<prefixCount]
        let total = range.reduce(prefixCount) { $0 + self.keyCount(at: $1) - prefixCount }
        block.begin(prefix: prefix, capacity: total, count: range.count)
        block.append(self, range)
        return block
    }

    /// The keys of two blocks, the second's behind the first's.
    static func joined(_ left: KeyBlock, _ right: KeyBlock) -> KeyBlock {
        guard left.count > 0 else { return right }
        guard right.count > 0 else { return left }
        let (prefixCount, restBytes) = self.joinedSize(left, right)
        var block = KeyBlock()
        let count = left.count + right.count
        block.begin(prefix: left.key(at: 0)[..<prefixCount], capacity: prefixCount + restBytes, count: count)
        block.append(left, 0..<left.count)
        block.append(right, 0..<right.count)
        return block
    }

    /// The prefix and the rests of two blocks, neither of them empty, as one.
    static func joinedSize(_ left: KeyBlock, _ right: KeyBlock) -> (prefixCount: Int, restBytes: Int) {
        let (first, last) = (left.key(at: 0), right.key(at: right.count - 1))
        let common = first.withUnsafeBytes { first in last.withUnsafeBytes { ByteOrder.firstMismatch(first, $0) } }
        let bytes = [left, right].reduce(0) { total, block in
            total + block.restBytes + block.count * (block.prefixCount - common)
        }
        return (common, bytes)
    }

    /// The shortest key that is above all of `left` and at most every one of `right`.
    static func separator(_ left: KeyBlock, _ right: KeyBlock) -> [UInt8] {
        let (last, first) = (left.key(at: left.count - 1), right.key(at: 0))
        let common = last.withUnsafeBytes { last in first.withUnsafeBytes { ByteOrder.firstMismatch(last, $0) } }
        return Array(first.prefix(common + 1))
    }
}
