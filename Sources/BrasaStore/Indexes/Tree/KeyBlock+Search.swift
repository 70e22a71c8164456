import BrasaDocuments
import BrasaQueries

extension KeyBlock {
    /// The number of keys before the place of a key: keys below it and, with `isAfter`, all that begin with it.
    func search(_ key: [UInt8], isAfter: Bool) -> Int {
        self.bytes.withUnsafeBytes { bytes in
            key.withUnsafeBytes { self.search($0, isAfter: isAfter, bytes) }
        }
    }

    private func search(_ key: UnsafeRawBufferPointer, isAfter: Bool, _ bytes: UnsafeRawBufferPointer) -> Int {
        let prefix = UnsafeRawBufferPointer(rebasing: bytes[..<self.prefixCount])
        let common = ByteOrder.firstMismatch(prefix, key)
        guard common == prefix.count else {
            let isBehind = common == key.count ? isAfter : prefix[common] < key[common]
            return isBehind ? self.count : 0
        }
        let rest = UnsafeRawBufferPointer(rebasing: key[common...])
        let head = Self.head(rest, padding: isAfter ? 0xFF : 0)
        return self.slots.withUnsafeBufferPointer { slots in
            var (low, high) = (0, slots.count)
            while low < high {
                let middle = (low &+ high) / 2
                let isBefore: Bool
                if slots[middle].head != head {
                    isBefore = slots[middle].head < head
                } else {
                    let start = middle == 0 ? self.prefixCount : Int(slots[middle &- 1].end)
                    let other = UnsafeRawBufferPointer(rebasing: bytes[start..<Int(slots[middle].end)])
                    isBefore = Self.isBefore(other, rest, isAfter: isAfter)
                }
                if isBefore { low = middle &+ 1 } else { high = middle }
            }
            return low
        }
    }

    private static func isBefore(
        _ rest: UnsafeRawBufferPointer,
        _ place: UnsafeRawBufferPointer,
        isAfter: Bool
    ) -> Bool {
        let mismatch = ByteOrder.firstMismatch(rest, place)
        if mismatch == place.count { return isAfter }
        return mismatch == rest.count || rest[mismatch] < place[mismatch]
    }

    /// The key's index, or where it would be.
    func find(_ key: [UInt8]) -> (index: Int, isThere: Bool) {
        let index = self.search(key, isAfter: false)
        return (index, index < self.count && self.equals(key, at: index))
    }

    /// Whether the key at an index lies before a place.
    func isBefore(_ position: IndexPosition, at index: Int) -> Bool {
        let rest = self.rest(index)
        return self.bytes.withUnsafeBytes { bytes in
            position.prefix.withUnsafeBytes { place in
                let prefix = UnsafeRawBufferPointer(rebasing: bytes[..<self.prefixCount])
                let common = ByteOrder.firstMismatch(prefix, place)
                guard common == prefix.count else {
                    return common == place.count ? position.isAfter : prefix[common] < place[common]
                }
                return Self.isBefore(
                    UnsafeRawBufferPointer(rebasing: bytes[rest]),
                    UnsafeRawBufferPointer(rebasing: place[common...]),
                    isAfter: position.isAfter
                )
            }
        }
    }

    private func equals(_ key: [UInt8], at index: Int) -> Bool {
        let rest = self.rest(index)
        guard key.count == self.prefixCount + rest.count, self.commonCount(key) == self.prefixCount else {
            return false
        }
        return self.bytes.withUnsafeBytes { bytes in
            key.withUnsafeBytes { key in
                let other = UnsafeRawBufferPointer(rebasing: key[self.prefixCount...])
                return ByteOrder.firstMismatch(UnsafeRawBufferPointer(rebasing: bytes[rest]), other) == rest.count
            }
        }
    }
}
