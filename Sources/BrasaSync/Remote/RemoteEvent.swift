internal import BrasaDocuments

/// What the server said about one target between two snapshots.
struct TargetChange: Sendable {
    /// Empty when there is no newer one.
    var resumeToken: [UInt8] = []
    /// The server has sent all that there was when the target was added.
    var isCurrent = false
    var added: Set<ResourcePath> = []
    var modified: Set<ResourcePath> = []
    var removed: Set<ResourcePath> = []
}

/// Everything that the server said up to a consistent state.
struct RemoteEvent: Sendable {
    /// Zero when it is not of a snapshot.
    var snapshotVersion: Timestamp
    /// Which stream it came on; nil when it is not of a snapshot.
    var connection: UInt64?
    /// What all targets resume with that the server has answered, whether or not the event speaks of them; empty when
    /// there is none. See `TargetTable`.
    var sharedToken: [UInt8] = []
    /// Targets that have been requested anew or let go of since the last event, so that nothing was said of them.
    var unshared: Set<TargetID> = []
    var targetChanges: [TargetID: TargetChange] = [:]
    /// Targets whose documents turned out to be others than ours; they are listened to anew.
    var mismatches: [TargetID: TargetData.Purpose] = [:]
    var documentUpdates: DocumentMap = [:]
    /// Documents that no target but limbo resolutions spoke of.
    var resolvedLimbo: Set<ResourcePath> = []

    /// A document that we may not see: out of the cache and of all views.
    static func purge(_ path: ResourcePath) -> RemoteEvent {
        RemoteEvent(
            snapshotVersion: .zero,
            documentUpdates: [path: .missing(path, version: .zero)],
            resolvedLimbo: [path]
        )
    }
}
