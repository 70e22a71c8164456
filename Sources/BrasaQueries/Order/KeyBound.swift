internal import BrasaDocuments

/// A position between order-preserving keys: before or after all that begin with a prefix. The prefix is of whole
/// parts, so the keys that begin with it are those whose first parts are equal to it.
package struct KeyBound: Hashable, Sendable {
    package let prefix: [UInt8]
    package let isAfter: Bool

    package init(prefix: [UInt8], isAfter: Bool) {
        self.prefix = prefix
        self.isAfter = isAfter
    }

    /// Whether the key lies behind this position.
    package func isBefore(_ key: [UInt8]) -> Bool {
        key.withUnsafeBytes { key in
            self.prefix.withUnsafeBytes { prefix in
                let mismatch = ByteOrder.firstMismatch(key, prefix)
                if mismatch == prefix.count { return !self.isAfter }
                return mismatch < key.count && key[mismatch] > prefix[mismatch]
            }
        }
    }
}
