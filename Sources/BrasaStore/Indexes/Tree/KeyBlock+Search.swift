import BrasaDocuments
import BrasaQueries

extension KeyBlock {
    /// The number of keys before the place of a key: keys below it and, with `isAfter`, all that begin with it.
    func search(_ key: [UInt8], isAfter: Bool, _ names: KeyNames) -> Int {
        self.bytes.withUnsafeBytes { bytes in
            key.withUnsafeBytes { self.search($0, isAfter: isAfter, bytes, names) }
        }
    }

    private func search(
        _ key: UnsafeRawBufferPointer,
        isAfter: Bool,
        _ bytes: UnsafeRawBufferPointer,
        _ names: KeyNames
    ) -> Int {
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
                    isBefore = self.isRestBefore(rest, isAfter: isAfter, at: middle, bytes, names)
                }
                if isBefore { low = middle &+ 1 } else { high = middle }
            }
            return low
        }
    }

    /// Whether a key's rest lies before a place.
    private func isRestBefore(
        _ place: UnsafeRawBufferPointer,
        isAfter: Bool,
        at index: Int,
        _ bytes: UnsafeRawBufferPointer,
        _ names: KeyNames
    ) -> Bool {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[self.rest(index)])
        guard names.scope != nil, ByteOrder.firstMismatch(rest, place) == rest.count else {
            return Self.isBefore(rest, place, isAfter: isAfter)
        }
        // What is stored decides nothing. Where the place has no more, as in front of all documents that have a value, the name
        // does not either.
        guard rest.count < place.count else { return isAfter }
        let place = UnsafeRawBufferPointer(rebasing: place[rest.count...])
        return names.name(index).withUnsafeBytes { name in
            Self.isBefore(
                UnsafeRawBufferPointer(rebasing: name.dropFirst(self.prefixNameCount)),
                place,
                isAfter: isAfter
            )
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
    func find(_ key: [UInt8], _ names: KeyNames) -> (index: Int, isThere: Bool) {
        let index = self.search(key, isAfter: false, names)
        return (index, index < self.count && self.equals(key, at: index, names))
    }

    /// Whether the key at an index lies before a place.
    func isBefore(_ position: IndexPosition, at index: Int, _ names: KeyNames) -> Bool {
        self.bytes.withUnsafeBytes { bytes in
            position.prefix.withUnsafeBytes { place in
                let prefix = UnsafeRawBufferPointer(rebasing: bytes[..<self.prefixCount])
                let common = ByteOrder.firstMismatch(prefix, place)
                guard common == prefix.count else {
                    return common == place.count ? position.isAfter : prefix[common] < place[common]
                }
                let rest = UnsafeRawBufferPointer(rebasing: place[common...])
                return self.isRestBefore(rest, isAfter: position.isAfter, at: index, bytes, names)
            }
        }
    }

    private func equals(_ key: [UInt8], at index: Int, _ names: KeyNames) -> Bool {
        let rest = self.rest(index)
        let stored = self.prefixCount + rest.count
        guard key.count >= stored, self.commonCount(key) == self.prefixCount else { return false }
        return self.bytes.withUnsafeBytes { bytes in
            key.withUnsafeBytes { key in
                ByteOrder.equal(
                    UnsafeRawBufferPointer(rebasing: bytes[rest]),
                    UnsafeRawBufferPointer(rebasing: key[self.prefixCount..<stored])
                )
                    && names.name(index).withUnsafeBytes { name in
                        let nameCount = max(name.count - self.prefixNameCount, 0)
                        return ByteOrder.equal(
                            UnsafeRawBufferPointer(rebasing: name.suffix(nameCount)),
                            UnsafeRawBufferPointer(rebasing: key[stored...])
                        )
                    }
            }
        }
    }
}
