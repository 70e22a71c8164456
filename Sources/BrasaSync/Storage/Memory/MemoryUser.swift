internal import BrasaDocuments

/// What one user has that others do not see.
final class MemoryUser {
    var queue = MemoryQueue()
    var overlays = MemoryOverlays()
}

extension MemoryTables {
    /// The same user's as before nearly always, which are not looked for again.
    func tables(of user: SyncUser) -> MemoryUser {
        if let lastUser, lastUser.user == user { return lastUser.tables }
        let tables = self.users[user] ?? MemoryUser()
        self.users[user] = tables
        self.lastUser = (user, tables)
        return tables
    }

    /// The collection that a document is in, which is worked out once for all that an operation asks of the document.
    func collection(of path: ResourcePath) -> ResourcePath? {
        if let lastPlace, lastPlace.document == path { return lastPlace.collection }
        guard let collection = path.parent else { return nil }
        self.lastPlace = (path, collection)
        return collection
    }
}
