import BrasaDocuments
import BrasaQueries
import BrasaStore

/// What an optimistic transaction has seen. At its commit all of it must still be so.
struct Observations {
    /// How much that is, of one transaction or of all.
    struct Count {
        var documents = 0
        var ranges = 0

        static func + (left: Count, right: Count) -> Count {
            Count(documents: left.documents + right.documents, ranges: left.ranges + right.ranges)
        }

        static func - (left: Count, right: Count) -> Count {
            Count(documents: left.documents - right.documents, ranges: left.ranges - right.ranges)
        }
    }

    private var paths: Set<ResourcePath> = []
    private var ranges: [QueryRange] = []

    var count: Count { Count(documents: self.paths.count, ranges: self.ranges.count) }

    mutating func add(_ paths: [ResourcePath]) { self.paths.formUnion(paths) }

    /// Returns a token for `narrow`.
    mutating func add(_ range: QueryRange) -> UInt64 {
        self.ranges.append(range)
        return UInt64(self.ranges.count)
    }

    /// A scan that stopped early has seen less than it asked for.
    mutating func narrow(_ token: UInt64, to range: QueryRange) {
        guard token > 0, token <= UInt64(self.ranges.count) else { return }
        self.ranges[Int(token) - 1] = range
    }

    /// Whether any of it was changed after `time`, the moment at which it was seen; or perhaps, when that is forgotten or
    /// takes too much to find out. A document that was changed and changed back counts, since it has another version; one
    /// that is in a range neither then nor now does not.
    ///
    /// Complexity: O(documents seen), and for the ranges what was committed since.
    func haveChanged(
        since time: Timestamp,
        in database: DatabaseHandle,
        of store: Store,
        checksMax: Int
    ) -> Bool {
        if self.paths.contains(where: { store.mayHaveChanged($0, in: database, since: time) }) { return true }
        guard !self.ranges.isEmpty else { return false }
        var validation = RangeValidation(self.ranges, at: time, in: database, of: store, checksMax: checksMax)
        return validation.hasConflict()
    }
}
