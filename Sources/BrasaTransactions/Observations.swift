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

    /// Bounds the changes that are looked at together.
    private static let changesMax = 1_024

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

    /// Whether any of it was changed after `time`, the moment at which it was seen. A document that was changed and changed
    /// back counts, since it has another version; one that is in a range neither then nor now does not.
    ///
    /// Complexity: O(documents seen), and for the ranges what was committed since; when that is no longer known, a walk over
    /// the ranges' names.
    func haveChanged(since time: Timestamp, in database: DatabaseHandle, of store: Store) -> Bool {
        let haveDocuments = self.paths.contains { path in
            store.latestTime(path, in: database).map { $0 > time } ?? false
        }
        if haveDocuments { return true }
        return self.ranges.contains { range in
            store.hasChanged(range.names, in: database, after: time) { path in
                guard range.mayContain(path) else { return false }
                if range.contains(path, fields: store.latest(path, in: database)?.fields) { return true }
                do throws(StoreError) {
                    return range.contains(path, fields: try store.get(path, in: database, at: time)?.fields)
                } catch {
                    return true
                }
            }
        }
    }
}
