internal import BrasaApp
internal import BrasaDocuments
internal import Synchronization

extension Firestore {
    /// The collection at a path with an odd number of segments, such as `cities` or `cities/SF/landmarks`. Every use of one
    /// at a text that is no such path fails.
    @discardableResult
    public func collection(_ collectionPath: String) -> CollectionReference {
        _ = trapping { () throws(UsageError) in try self.start() }
        return CollectionReference(firestore: self, place: .collection(collectionPath))
    }

    /// The document at a path with an even number of segments, such as `cities/SF`. Every use of one at a text that is no
    /// such path fails.
    @discardableResult
    public func document(_ documentPath: String) -> DocumentReference {
        _ = trapping { () throws(UsageError) in try self.start() }
        return DocumentReference(firestore: self, place: .document(documentPath))
    }

    /// All collections with this ID, wherever they are.
    @discardableResult
    public func collectionGroup(_ collectionID: String) -> Query {
        _ = trapping { () throws(UsageError) in try self.start() }
        return Query(firestore: self, definition: QueryDefinition(collectionGroup: collectionID))
    }

    /// The document of a stored reference, in this database whichever it names.
    func reference(to name: DocumentName) -> DocumentReference {
        if name.database != self.database, self.isNews(name.database) {
            Firestore.log.notice(
                "references to documents of \(name.database.string) are read as ones of \(self.database.string)"
            )
        }
        return DocumentReference(firestore: self, path: name.path)
    }

    /// Whether to say that documents refer to another database: once of each, and not of ever more of them.
    func isNews(_ database: DatabaseName) -> Bool {
        self.state.withLock { state in
            state.foreignDatabases.count < Self.foreignDatabasesMax && state.foreignDatabases.insert(database).inserted
        }
    }

    private static let foreignDatabasesMax = 16
}
