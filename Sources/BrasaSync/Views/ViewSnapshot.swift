package import BrasaDocuments

/// One state of a query's results, and how it differs from the one before.
package struct ViewSnapshot: Sendable {
    package let query: SyncQuery
    package let documents: DocumentSet
    package let oldDocuments: DocumentSet
    /// Removed ones first, then added ones, then the others; each group in the query's order.
    package internal(set) var changes: [DocumentChange]
    /// Documents with writes that the server has not confirmed.
    package let mutatedKeys: Set<ResourcePath>
    package let isFromCache: Bool
    package let syncStateChanged: Bool
    /// Set when `changes` was cleared of metadata changes because its listener did not ask for them.
    package internal(set) var excludesMetadataChanges: Bool
    /// The server had brought the target up to date at some time before.
    package let hasCachedResults: Bool
    /// When the server was asked for it, what it says; nil of views and of what the cache answers.
    package internal(set) var readTime: Timestamp?

    package var hasPendingWrites: Bool { !self.mutatedKeys.isEmpty }

    package init(
        query: SyncQuery,
        documents: DocumentSet,
        oldDocuments: DocumentSet,
        changes: [DocumentChange],
        mutatedKeys: Set<ResourcePath>,
        isFromCache: Bool,
        syncStateChanged: Bool,
        excludesMetadataChanges: Bool = false,
        hasCachedResults: Bool
    ) {
        self.query = query
        self.documents = documents
        self.oldDocuments = oldDocuments
        self.changes = changes
        self.mutatedKeys = mutatedKeys
        self.isFromCache = isFromCache
        self.syncStateChanged = syncStateChanged
        self.excludesMetadataChanges = excludesMetadataChanges
        self.hasCachedResults = hasCachedResults
    }

    /// What a read gives, without a view: of documents that match the query, as many as its limit allows.
    init(of query: SyncQuery, _ matching: some Collection<SyncDocument>, isFromCache: Bool) {
        var documents = DocumentSet(order: query.order, matching)
        if let limit = query.limit { _ = documents.trim(to: limit, keepingFirst: query.limitType == .first) }
        self.init(
            query: query,
            documents: documents,
            oldDocuments: DocumentSet(order: query.order),
            changes: documents.map { DocumentChange(.added, $0) },
            mutatedKeys: Set(documents.lazy.filter(\.hasLocalMutations).map(\.path)),
            isFromCache: isFromCache,
            syncStateChanged: true,
            hasCachedResults: false
        )
    }

    /// The same state as the first one that a listener sees.
    var asInitial: ViewSnapshot {
        ViewSnapshot(
            query: self.query,
            documents: self.documents,
            oldDocuments: DocumentSet(order: self.query.order),
            changes: self.documents.map { DocumentChange(.added, $0) },
            mutatedKeys: self.mutatedKeys,
            isFromCache: self.isFromCache,
            syncStateChanged: true,
            hasCachedResults: self.hasCachedResults
        )
    }
}

/// A change with the places of the document, each at its step when the changes are made one after the other.
package struct IndexedChange: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case added, modified, removed
    }

    package let kind: Kind
    package let document: SyncDocument
    package let oldIndex: Int?
    package let newIndex: Int?
}

extension ViewSnapshot {
    /// The changes as users see them: metadata changes count as modifications, and are left out unless asked for.
    /// Nil when they are asked for from a listener without them.
    package func indexedChanges(includeMetadataChanges: Bool) -> [IndexedChange]? {
        if includeMetadataChanges, self.excludesMetadataChanges { return nil }
        if self.oldDocuments.isEmpty {
            return self.documents.enumerated().map { index, document in
                IndexedChange(kind: .added, document: document, oldIndex: nil, newIndex: index)
            }
        }
        var documents = self.oldDocuments
        return self.changes.compactMap { change in
            if change.kind == .metadata, !includeMetadataChanges { return nil }
            let oldIndex = change.kind == .added ? nil : documents.index(of: change.document.path)
            documents.remove(change.document.path)
            guard change.kind != .removed else {
                return IndexedChange(kind: .removed, document: change.document, oldIndex: oldIndex, newIndex: nil)
            }
            documents.insert(change.document)
            let newIndex = documents.index(of: change.document.path)
            let kind: IndexedChange.Kind = change.kind == .added ? .added : .modified
            return IndexedChange(kind: kind, document: change.document, oldIndex: oldIndex, newIndex: newIndex)
        }
    }
}
