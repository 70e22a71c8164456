internal import BrasaDocuments
internal import BrasaSync
internal import Synchronization

/// The results of a query at one time.
public final class QuerySnapshot: Sendable {
    public let query: Query
    public let metadata: SnapshotMetadata
    let view: ViewSnapshot
    /// Made when they are first asked for, since a listener may care for the changes alone.
    private let made = Mutex<[QueryDocumentSnapshot]?>(nil)

    init(query: Query, view: ViewSnapshot) {
        self.query = query
        self.view = view
        self.metadata = SnapshotMetadata(hasPendingWrites: view.hasPendingWrites, isFromCache: view.isFromCache)
    }

    public var isEmpty: Bool { self.view.documents.isEmpty }
    public var count: Int { self.view.documents.count }

    /// In the query's order.
    public var documents: [QueryDocumentSnapshot] {
        self.made.withLock { made in
            if let made { return made }
            let documents = self.view.documents.map { self.snapshot($0) }
            made = documents
            return documents
        }
    }

    /// What changed since the last snapshot of the same listener; at first every document is added.
    public var documentChanges: [DocumentChange] {
        // Without metadata changes there is always an answer.
        self.view.indexedChanges(includeMetadataChanges: false)?.map { self.change($0) } ?? []
    }

    /// The same, perhaps with documents of which only the metadata changed. Stops the program when that is asked of a
    /// listener that does not include metadata changes.
    @discardableResult
    public func documentChanges(includeMetadataChanges: Bool) -> [DocumentChange] {
        trapping { () throws(UsageError) in
            guard let changes = self.view.indexedChanges(includeMetadataChanges: includeMetadataChanges) else {
                throw UsageError("Metadata changes can only be had from a listener with includeMetadataChanges.")
            }
            return changes.map { self.change($0) }
        }
    }

    private func change(_ change: IndexedChange) -> DocumentChange {
        let type: DocumentChangeType =
            switch change.kind {
            case .added: .added
            case .modified: .modified
            case .removed: .removed
            }
        return DocumentChange(
            type: type,
            document: self.snapshot(change.document),
            oldIndex: change.oldIndex,
            newIndex: change.newIndex
        )
    }

    private func snapshot(_ document: SyncDocument) -> QueryDocumentSnapshot {
        QueryDocumentSnapshot(
            reference: DocumentReference(firestore: self.query.firestore, path: document.path),
            fields: document.fields,
            metadata: SnapshotMetadata(
                hasPendingWrites: self.view.mutatedKeys.contains(document.path),
                isFromCache: self.view.isFromCache
            )
        )
    }
}

extension QuerySnapshot: Hashable, CustomStringConvertible {
    public static func == (left: QuerySnapshot, right: QuerySnapshot) -> Bool {
        left.query == right.query && left.metadata == right.metadata && left.documents == right.documents
            && left.documentChanges == right.documentChanges
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.query)
        hasher.combine(self.metadata)
        hasher.combine(self.count)
    }

    public var description: String { "<QuerySnapshot: \(self.documents)>" }
}
