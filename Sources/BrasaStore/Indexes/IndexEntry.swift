import BrasaDocuments
import BrasaQueries

/// A document as an index shows it.
struct IndexEntry: Sendable {
    /// Empty where nobody asked for keys.
    let key: [UInt8]
    let found: FoundDocument

    var path: ResourcePath { self.found.path }
    var document: Document { self.found.document }
}

/// What one visit to an index brought.
struct IndexPart: Sendable {
    /// Empty when the visit only counts.
    var found: [FoundDocument] = []
    /// Their keys, when these were wanted.
    var keys: [[UInt8]] = []
    /// How many documents were found, whether they are in `found` or not.
    var count = 0
    /// Keys looked at, of documents that are visible and of others.
    var examined = 0
    /// Where to go on; nil: there is no more.
    var resume: IndexPosition?
    /// The last of those that were only counted, when that was wanted.
    var last: FoundDocument?

    /// What was found and its keys, the last one first. What is taken from arrays' ends is moved, and counts no references.
    mutating func takeReversed() -> [IndexEntry] {
        var entries: [IndexEntry] = []
        entries.reserveCapacity(self.found.count)
        while let last = self.found.popLast() {
            entries.append(IndexEntry(key: self.keys.popLast() ?? [], found: last))
        }
        return entries
    }
}
