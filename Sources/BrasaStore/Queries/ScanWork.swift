/// What one call of a scan may do, and what came of it.
struct ScanWork {
    let time: Int64
    let history: ReadHistory
    /// Index entries and documents that may still be looked at.
    var budget: Int
    var statistics: QueryStatistics
    /// An index was dropped while it was read: what comes next is not known to be the next.
    var isIndexLost = false

    var canGoOn: Bool { self.budget > 0 && !self.isIndexLost }
}
