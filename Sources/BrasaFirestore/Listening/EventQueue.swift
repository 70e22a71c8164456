internal import BrasaApp
internal import BrasaDocuments
internal import BrasaSync

/// Events that a listener has not been told yet. Of snapshots that become one no change is lost, and an error stays the last
/// event.
struct EventQueue: Sendable {
    typealias Event = Result<ViewSnapshot, SyncError>

    static let countMax = 16

    private var events = PendingEvents<Event>(countMax: Self.countMax)

    var isEmpty: Bool { self.events.isEmpty }
    var count: Int { self.events.count }

    /// Whether there is one event more than before.
    mutating func append(_ event: Event) -> Bool {
        self.events.append(event) { last, new in
            guard case .success(let last) = last, case .success(let new) = new else { return nil }
            return .success(last.followed(by: new))
        }
    }

    mutating func next() -> Event? { self.events.next() }

    mutating func removeAll() { self.events.removeAll() }
}

extension ViewSnapshot {
    /// One step from before this snapshot to the next.
    func followed(by next: ViewSnapshot) -> ViewSnapshot {
        var metadataOnly: Set<ResourcePath> = []
        var paths: Set<ResourcePath> = []
        for change in self.changes + next.changes {
            if change.kind == .metadata, !paths.contains(change.document.path) {
                metadataOnly.insert(change.document.path)
            } else if change.kind != .metadata {
                metadataOnly.remove(change.document.path)
            }
            paths.insert(change.document.path)
        }
        return ViewSnapshot(
            query: next.query,
            documents: next.documents,
            oldDocuments: self.oldDocuments,
            changes: Self.changes(of: paths, metadataOnly, from: self.oldDocuments, to: next.documents),
            mutatedKeys: next.mutatedKeys,
            isFromCache: next.isFromCache,
            syncStateChanged: self.syncStateChanged || next.syncStateChanged,
            excludesMetadataChanges: next.excludesMetadataChanges,
            hasCachedResults: self.hasCachedResults || next.hasCachedResults
        )
    }

    /// Removed ones first, then added ones, then the others; each group in the query's order.
    private static func changes(
        of paths: Set<ResourcePath>,
        _ metadataOnly: Set<ResourcePath>,
        from old: DocumentSet,
        to new: DocumentSet
    ) -> [BrasaSync.DocumentChange] {
        var removed: [(index: Int, document: SyncDocument)] = []
        var added: [(index: Int, document: SyncDocument)] = []
        var modified: [(index: Int, document: SyncDocument)] = []
        for path in paths {
            switch (old.index(of: path), new.index(of: path)) {
            case (let index?, nil): removed.append((index, old[index]))
            case (nil, let index?): added.append((index, new[index]))
            case (_?, let index?): modified.append((index, new[index]))
            case (nil, nil): break
            }
        }
        func sorted(_ documents: [(index: Int, document: SyncDocument)]) -> [SyncDocument] {
            documents.sorted { $0.index < $1.index }.map(\.document)
        }
        return sorted(removed).map { BrasaSync.DocumentChange(.removed, $0) }
            + sorted(added).map { BrasaSync.DocumentChange(.added, $0) }
            + sorted(modified).map {
                BrasaSync.DocumentChange(metadataOnly.contains($0.path) ? .metadata : .modified, $0)
            }
    }
}
