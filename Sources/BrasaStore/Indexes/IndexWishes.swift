import BrasaPlatform

/// Indexes that were asked for when many were there already, so that only those asked for again are made: queries of
/// fields that are different each time (`members.<id>`) would otherwise fill the table with indexes for one query each.
struct IndexWishes {
    private var times: [IndexRegistry.Key: MonotonicTime] = [:]

    private static let countMax = 1024

    /// Whether the index was asked for before, not longer ago than `span`. If not, this time is remembered.
    mutating func isRepeated(_ key: IndexRegistry.Key, at now: MonotonicTime, within span: Duration) -> Bool {
        if let time = self.times.removeValue(forKey: key), now - time <= span {
            return true
        }
        // Forgetting costs another query that looks at much.
        if self.times.count >= Self.countMax { self.times.removeAll(keepingCapacity: true) }
        self.times[key] = now
        return false
    }
}
