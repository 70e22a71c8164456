package import BrasaDocuments

/// A commit's time, given out before the commit is made.
package struct CommitStamp: Sendable {
    package let time: Timestamp
    /// The time of the commit before.
    let before: Int64
}
