internal import BrasaDocuments
internal import BrasaQueries

/// How much is kept of indexes, and done to them at a time.
struct IndexLimits {
    /// Documents that are looked at in a run, between which everybody else has their turn.
    var documentsMax = 50
    /// Entries of theirs, but for what one document has.
    var entriesMax = 1000
    /// Entries and noted changes that are freed in a run.
    var forgottenMax = 500
    /// A part that lacks no more changes than this is worth keeping.
    var lateMin = 1000
    /// Users that have a part of an index.
    var usersMax = 4
}

/// Lets go of users' parts of indexes, since nothing tells whether a user comes back. One that does begins anew.
struct IndexParts {
    let indexes: any IndexTables
    let limits: IndexLimits

    /// A part that lacks more changes than there are documents to go through is not worth waiting for: everything that it
    /// lacks has to be kept, and be looked at by each query.
    func removeLate() throws(StorageError) {
        let last = try self.indexes.lastChange()
        // Indexes of one collection id are often at the same change.
        var lackingCounts: [UTF8Text: [ChangeNumber: Int]] = [:]
        var documentCounts: [UTF8Text: [SyncUser: Int]] = [:]
        for index in try self.indexes.fieldIndexes() {
            let id = index.definition.collectionID
            for part in try self.indexes.parts(of: index.id) where part.progress.stage != .abandoned {
                // The distance counts other collections and the same document twice.
                guard last - part.progress.lastChange > self.limits.lateMin else { continue }
                let change = part.progress.lastChange
                var lacking = lackingCounts[id]?[change]
                if lacking == nil { lacking = try self.indexes.changeCount(ofCollectionID: id, after: change) }
                lackingCounts[id, default: [:]][change] = lacking
                guard let lacking, lacking > self.limits.lateMin else { continue }
                var documents = documentCounts[id]?[part.user]
                if documents == nil {
                    documents = try self.indexes.documentCount(ofCollectionID: id, of: part.user)
                }
                documentCounts[id, default: [:]][part.user] = documents
                guard let documents, lacking > documents else { continue }
                try self.indexes.removePart(of: index.id, for: part.user)
            }
        }
    }

    /// Those go first that were worked on the longest ago.
    func makeRoom(in index: FieldIndex, for user: SyncUser) throws(StorageError) {
        let others = try self.indexes.parts(of: index.id).filter { $0.user != user }
        let leaving = others.sorted { $0.progress.sequence > $1.progress.sequence }.dropFirst(self.limits.usersMax - 1)
        for part in leaving { try self.indexes.removePart(of: index.id, for: part.user) }
    }
}
