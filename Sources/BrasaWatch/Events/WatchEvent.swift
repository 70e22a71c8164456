package import BrasaDocuments

/// What a stream is told, in this order. Target ids are those of the stream; where they come as an array it is shared
/// by all events about the same targets, so it can be compared cheaply and nothing is allocated for it.
package enum WatchEvent {
    /// The target was accepted; nothing about it comes before.
    case targetAdded(Int32)
    /// The document, as it is now, belongs to `targets`, and no longer to `removed`.
    case documentChanged(WatchedDocument, targets: [Int32], removed: [Int32])
    case documentDeleted(WatchedDeletion, removed: [Int32])
    /// Everything up to the snapshot has been said about the targets.
    case current([Int32], WatchSnapshot)
    /// What was said about the targets is void; all of it follows again.
    case reset([Int32])
    /// The target was removed as asked, is done (`once`), or has failed.
    case targetRemoved(Int32, cause: TargetFailure?)
    /// How many documents the target has at the snapshot that follows, and which, if that was asked.
    case existenceFilter(Int32, count: Int, unchanged: BloomFilter?)
    /// The targets can be resumed from the snapshot, which follows. Only when others are not current yet; else the
    /// snapshot's own token says it for all.
    case resumable([Int32], WatchSnapshot)
    /// Nothing new: the stream has not been told anything for long, and its targets are not at a state that it could be
    /// told the time of.
    case alive([Int32])
    /// Everything up to the snapshot has been said about all targets that are current.
    case snapshot(WatchSnapshot)
}
