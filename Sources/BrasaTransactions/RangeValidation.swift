import BrasaDocuments
import BrasaQueries
import BrasaStore

/// Finds out whether ranges are still what they were at one time: a single walk over what was committed since, each
/// changed document held once against the ranges that may have it.
struct RangeValidation {
    private let time: Timestamp
    private let database: DatabaseHandle
    private let store: Store
    private var ranges = RangeIndex<QueryRange>()
    private var checksLeft: Int
    private var seen: Set<ResourcePath> = []

    /// Bounds the changes that are looked at together.
    private static let changesMax = 1_024

    init(_ ranges: [QueryRange], at time: Timestamp, in database: DatabaseHandle, of store: Store, checksMax: Int) {
        self.time = time
        self.database = database
        self.store = store
        self.checksLeft = checksMax
        for (index, range) in ranges.enumerated() { self.ranges.insert(range, UInt64(index), in: range.names) }
    }

    /// Also true when the changes are no longer known one by one, or are too many to look at while others wait: whoever is
    /// refused for that can begin again, and sees less change the next time.
    mutating func hasConflict() -> Bool {
        var position = self.time
        while let changes = self.store.appliedChanges(after: position, in: self.database, limit: Self.changesMax) {
            guard let last = changes.last else { return false }
            for change in changes where self.isConflict(change.path) { return true }
            position = last.time
        }
        return true
    }

    private mutating func isConflict(_ path: ResourcePath) -> Bool {
        let ranges = self.ranges.elements(around: path)
        guard !ranges.isEmpty, self.seen.insert(path).inserted else { return false }
        guard ranges.count <= self.checksLeft else { return true }
        self.checksLeft -= ranges.count
        let candidates = ranges.filter { $0.mayContain(path) }
        guard !candidates.isEmpty else { return false }
        let now = self.store.latest(path, in: self.database)?.fields
        do throws(StoreError) {
            let before = try self.store.get(path, in: self.database, at: self.time)?.fields
            return candidates.contains { $0.contains(path, fields: now) || $0.contains(path, fields: before) }
        } catch {
            return true
        }
    }
}
