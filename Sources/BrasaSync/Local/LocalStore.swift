internal import BrasaDocuments

/// The caches for the current user. Each operation is one transaction of the storage; what is kept in memory changes after
/// it has committed.
final class LocalStore {
    let storage: any SyncStorage
    private(set) var user: SyncUser

    /// Of the targets that are listened to, newer than the storage's.
    var targetData = TargetTable()
    /// When the token that targets share was written down for all of them.
    var sharedTokenTime = Timestamp.zero

    /// Whether queries that look at many documents to find few are given indexes.
    var createsIndexes = false
    /// Called after indexes were added or removed.
    var indexesChanged: () -> Void = {}
    var indexLimits = IndexLimits()
    /// The last change when late parts of indexes were looked for.
    var lateLookedFor: ChangeNumber?

    init(storage: any SyncStorage, user: SyncUser) {
        self.storage = storage
        self.user = user
    }

    func documents(_ tables: any StorageTables) -> LocalDocuments {
        LocalDocuments(tables: tables, user: self.user)
    }

    /// The user's view of one document.
    func readDocument(at path: ResourcePath) throws(StorageError) -> SyncDocument {
        try self.storage.transaction(.readDocument) { tables throws(StorageError) in
            try self.documents(tables).document(at: path)
        }
    }

    /// Gives the documents that look different to the new user.
    func changeUser(to user: SyncUser) throws(StorageError) -> DocumentMap {
        let changed = try self.storage.transaction(.handleUserChange) { tables throws(StorageError) -> DocumentMap in
            let batches = try tables.allBatches(of: self.user) + tables.allBatches(of: user)
            let paths = Set(batches.flatMap(\.paths))
            return try LocalDocuments(tables: tables, user: user).documents(at: paths)
        }
        self.user = user
        return changed
    }

    @discardableResult
    func collectGarbage(_ limits: CollectionLimits) throws(StorageError) -> CollectionOutcome {
        try self.storage.collectGarbage(limits, active: Set(self.targetData.ids))
    }
}
