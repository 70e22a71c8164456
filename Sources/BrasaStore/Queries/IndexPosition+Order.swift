import BrasaDocuments
import BrasaQueries

extension IndexPosition: Comparable {
    init(_ bound: KeyBound) {
        self.init(prefix: bound.prefix, isAfter: bound.isAfter)
    }

    /// The same place among keys that sort in reverse.
    var complemented: IndexPosition {
        IndexPosition(prefix: self.prefix.map { ~$0 }, isAfter: !self.isAfter)
    }

    /// The same place among keys that begin with `start`.
    func prefixed(by start: [UInt8]) -> IndexPosition {
        IndexPosition(prefix: start + self.prefix, isAfter: self.isAfter)
    }

    /// Whether fewer keys come before the left place.
    static func < (left: IndexPosition, right: IndexPosition) -> Bool {
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
