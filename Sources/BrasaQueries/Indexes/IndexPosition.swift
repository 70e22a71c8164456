internal import BrasaDocuments

/// A place between an index's keys.
package struct IndexPosition: Hashable, Sendable {
    package var prefix: [UInt8]
    /// Behind all keys that begin with the prefix, instead of before them.
    package var isAfter: Bool

    package init(prefix: [UInt8], isAfter: Bool) {
        self.prefix = prefix
        self.isAfter = isAfter
    }

    package static func before(_ prefix: [UInt8]) -> IndexPosition { IndexPosition(prefix: prefix, isAfter: false) }
    package static func after(_ prefix: [UInt8]) -> IndexPosition { IndexPosition(prefix: prefix, isAfter: true) }

    package static let start = IndexPosition.before([])
    package static let end = IndexPosition.after([])
}

extension IndexPosition: Comparable {
    package init(_ bound: KeyBound) {
        self.init(prefix: bound.prefix, isAfter: bound.isAfter)
    }

    /// The same place among keys that sort in reverse.
    package var complemented: IndexPosition {
        IndexPosition(prefix: self.prefix.map { ~$0 }, isAfter: !self.isAfter)
    }

    /// The same place among keys that begin with `start`.
    package func prefixed(by start: [UInt8]) -> IndexPosition {
        IndexPosition(prefix: start + self.prefix, isAfter: self.isAfter)
    }

    /// Whether fewer keys come before the left place.
    package static func < (left: IndexPosition, right: IndexPosition) -> Bool {
        left.prefix.withUnsafeBytes { first in
            right.prefix.withUnsafeBytes { second in
                let mismatch = ByteOrder.firstMismatch(first, second)
                if mismatch < first.count, mismatch < second.count { return first[mismatch] < second[mismatch] }
                if first.count == second.count { return !left.isAfter && right.isAfter }
                return first.count < second.count ? !left.isAfter : right.isAfter
            }
        }
    }
}
