import BrasaDocuments
import BrasaQueries

/// A document as an index shows it.
struct IndexEntry: Sendable {
    let key: [UInt8]
    let path: ResourcePath
    let document: Document
}

/// What one visit to an index brought.
struct IndexPart: Sendable {
    /// Empty when the visit only counts.
    var entries: [IndexEntry] = []
    /// Documents found, in `entries` or not.
    var count = 0
    /// Keys looked at, of documents that are visible and of others.
    var examined = 0
    /// Where to go on; nil: there is no more.
    var resume: IndexPosition?
    /// The last of those that were only counted, when that was wanted.
    var last: IndexEntry?
}
