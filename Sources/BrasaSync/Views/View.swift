internal import BrasaDocuments

/// A query's results, kept up to date with documents that change and with what the server says of its target.
final class View {
    let query: SyncQuery
    private(set) var documents: DocumentSet
    /// What the server said belongs to the target.
    private(set) var syncedKeys: Set<ResourcePath>
    private(set) var mutatedKeys: Set<ResourcePath> = []
    private(set) var limboKeys: Set<ResourcePath> = []
    /// `limboKeys` are those of the documents as they are.
    private var isLimboComplete = false
    /// The server has told us all there is.
    private(set) var isCurrent = false
    private(set) var syncState = SyncState.none

    enum SyncState {
        case none, local, synced
    }

    init(_ query: SyncQuery, remoteKeys: Set<ResourcePath>) {
        self.query = query
        self.syncedKeys = remoteKeys
        self.documents = DocumentSet(order: query.order)
    }

    /// What limbo resolution has to do.
    struct LimboChanges {
        var added: [ResourcePath] = []
        var removed: [ResourcePath] = []
    }

    struct Change {
        /// Nil when there is nothing new to see.
        var snapshot: ViewSnapshot?
        var limbo = LimboChanges()
    }

    /// Takes over computed changes, and what the server said of the target.
    func apply(
        _ computed: ViewChanges,
        _ targetChange: TargetChange?,
        isPendingReset: Bool = false,
        resolvesLimbo: Bool = true
    ) -> Change {
        // What a view is depends on nothing else.
        if computed.changes.isEmpty, targetChange == nil, !isPendingReset, resolvesLimbo, self.syncState != .none {
            return Change()
        }
        let old = self.documents
        self.documents = computed.documents
        self.mutatedKeys = computed.mutatedKeys
        if let targetChange {
            self.syncedKeys.formUnion(targetChange.added)
            self.syncedKeys.subtract(targetChange.removed)
            self.isCurrent = targetChange.isCurrent
        }
        var limbo = LimboChanges()
        if resolvesLimbo, !isPendingReset, self.isCurrent {
            limbo = self.updateLimbo(computed.changes, targetChange)
        } else {
            self.isLimboComplete = false
        }
        let isSynced = self.limboKeys.isEmpty && self.isCurrent && !isPendingReset
        let newState: SyncState = isSynced ? .synced : .local
        let stateChanged = newState != self.syncState
        self.syncState = newState
        guard !computed.changes.isEmpty || stateChanged else { return Change(limbo: limbo) }
        let snapshot = ViewSnapshot(
            query: self.query,
            documents: self.documents,
            oldDocuments: old,
            changes: self.sorted(computed.changes),
            mutatedKeys: self.mutatedKeys,
            isFromCache: newState == .local,
            syncStateChanged: stateChanged,
            hasCachedResults: !(targetChange?.resumeToken ?? []).isEmpty
        )
        return Change(snapshot: snapshot, limbo: limbo)
    }

    /// Without the server nothing is current.
    func goOffline() -> ViewSnapshot? {
        guard self.isCurrent else { return nil }
        self.isCurrent = false
        let unchanged = ViewChanges(documents: self.documents, mutatedKeys: self.mutatedKeys)
        return self.apply(unchanged, nil, resolvesLimbo: false).snapshot
    }

    /// Nobody asks the server about the target or about documents in limbo any more.
    func leaveServer() -> ViewSnapshot? {
        self.limboKeys = []
        return self.goOffline()
    }

    /// Documents that are results by what we know, and that the server has not said to belong to the target.
    private func updateLimbo(_ changes: DocumentChangeSet, _ targetChange: TargetChange?) -> LimboChanges {
        let old = self.limboKeys
        if self.isLimboComplete {
            // Whatever else there is was looked at before.
            var candidates = old.union(changes.changes.keys)
            if let targetChange { candidates.formUnion(targetChange.added.union(targetChange.removed)) }
            self.limboKeys = candidates.filter { self.documents[$0].map(self.isInLimbo) ?? false }
        } else {
            self.limboKeys = Set(self.documents.lazy.filter(self.isInLimbo).map(\.path))
        }
        self.isLimboComplete = true
        let new = self.limboKeys
        return LimboChanges(added: new.subtracting(old).sorted(), removed: old.subtracting(new).sorted())
    }

    private func isInLimbo(_ document: SyncDocument) -> Bool {
        !document.hasLocalMutations && !self.syncedKeys.contains(document.path)
    }

    private func sorted(_ changes: DocumentChangeSet) -> [DocumentChange] {
        guard changes.changes.count > 1 else { return Array(changes.changes.values) }
        let order = self.documents
        let keyed = changes.changes.values.map { (rank: $0.kind.rank, key: order.place(of: $0.document), change: $0) }
        return keyed.sorted { ($0.rank, $0.key) < ($1.rank, $1.key) }.map(\.change)
    }
}

extension DocumentChange.Kind {
    fileprivate var rank: Int {
        switch self {
        case .removed: 0
        case .added: 1
        case .modified, .metadata: 2
        }
    }
}
