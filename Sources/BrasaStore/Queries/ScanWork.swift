import BrasaDocuments

/// What one call of a scan may do, and what came of it.
struct ScanWork {
    let time: Int64
    let history: ReadHistory
    /// Index entries and documents that may still be looked at.
    var budget: Int
    var statistics: QueryStatistics
    /// An index was dropped while it was read: what comes next is not known to be the next.
    var isIndexLost = false

    /// A key was made of a document's fields. Short ones are part of the look at the document, long ones cost more.
    mutating func charge(_ key: OrderPreservingKey) {
        self.budget -= key.bytes.count / Self.keyBytesPerStep
    }

    private static let keyBytesPerStep = 512

    var canGoOn: Bool { self.budget > 0 && !self.isIndexLost }
}
