internal import BrasaDocuments
internal import BrasaSync
internal import Synchronization

/// The results of a query at one time.
public final class QuerySnapshot: Sendable {
    public let query: Query
    public let metadata: SnapshotMetadata
    private let content: Content
    /// Made when they are first asked for, since a listener may care for the changes alone.
    private let made = Mutex<[QueryDocumentSnapshot]?>(nil)

    private enum Content {
        case view(ViewSnapshot)
        /// What the server has said past the engine.
        case results([QueryDocumentSnapshot], readTime: BrasaDocuments.Timestamp?)
    }

    init(query: Query, view: ViewSnapshot) {
        self.query = query
        self.content = .view(view)
        self.metadata = SnapshotMetadata(hasPendingWrites: view.hasPendingWrites, isFromCache: view.isFromCache)
    }

    init(query: Query, _ page: ResultPage) {
        self.query = query
        self.content = .results(page.snapshots(query.firestore), readTime: page.readTime)
        self.metadata = .ofServer
    }

    public var isEmpty: Bool { self.count == 0 }

    public var count: Int {
        switch self.content {
        case .view(let view): view.documents.count
        case .results(let documents, _): documents.count
        }
    }

    /// When the server has read the results for this snapshot; nil of listeners and of what the cache answers.
    public var readTime: Timestamp? { self.serverTime.map { Timestamp($0) } }

    var serverTime: BrasaDocuments.Timestamp? {
        switch self.content {
        case .view(let view): view.readTime
        case .results(_, let readTime): readTime
        }
    }

    /// Nil when it came past the engine.
    var view: ViewSnapshot? {
        switch self.content {
        case .view(let view): view
        case .results: nil
        }
    }

    /// In the query's order.
    public var documents: [QueryDocumentSnapshot] {
        switch self.content {
        case .results(let documents, _): documents
        case .view(let view):
            self.made.withLock { made in
                if let made { return made }
                let documents = view.documents.map { self.snapshot($0, in: view) }
                made = documents
                return documents
            }
        }
    }

    /// What changed since the last snapshot of the same listener; at first every document is added.
    public var documentChanges: [DocumentChange] {
        // Without metadata changes there is always an answer.
        self.changes(includeMetadataChanges: false) ?? []
    }

    /// The same, perhaps with documents of which only the metadata changed. Stops the program when that is asked of a
    /// listener that does not include metadata changes.
    @discardableResult
    public func documentChanges(includeMetadataChanges: Bool) -> [DocumentChange] {
        trapping { () throws(UsageError) in
            guard let changes = self.changes(includeMetadataChanges: includeMetadataChanges) else {
                throw UsageError("Metadata changes can only be had from a listener with includeMetadataChanges.")
            }
            return changes
        }
    }

    private func changes(includeMetadataChanges: Bool) -> [DocumentChange]? {
        switch self.content {
        case .results(let documents, _):
            documents.enumerated().map { index, document in
                DocumentChange(type: .added, document: document, oldIndex: nil, newIndex: index)
            }
        case .view(let view):
            view.indexedChanges(includeMetadataChanges: includeMetadataChanges)?.map { self.change($0, in: view) }
        }
    }

    private func change(_ change: IndexedChange, in view: ViewSnapshot) -> DocumentChange {
        let type: DocumentChangeType =
            switch change.kind {
            case .added: .added
            case .modified: .modified
            case .removed: .removed
            }
        return DocumentChange(
            type: type,
            document: self.snapshot(change.document, in: view),
            oldIndex: change.oldIndex,
            newIndex: change.newIndex
        )
    }

    private func snapshot(_ document: SyncDocument, in view: ViewSnapshot) -> QueryDocumentSnapshot {
        QueryDocumentSnapshot(
            reference: DocumentReference(firestore: self.query.firestore, path: document.path),
            fields: document.fields,
            metadata: SnapshotMetadata(
                hasPendingWrites: view.mutatedKeys.contains(document.path),
                isFromCache: view.isFromCache
            ),
            times: SnapshotTimes(document, readTime: view.readTime)
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
