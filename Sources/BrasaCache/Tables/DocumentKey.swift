internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaSync

/// How the tables name a document.
struct DocumentKey {
    /// The number of its collection.
    let collection: Int64
    /// As `OrderPreservingKey` writes it.
    let id: [UInt8]

    fileprivate init(_ collection: Int64, _ path: ResourcePath) {
        self.collection = collection
        var key = OrderPreservingKey(capacity: path.lastSegment.count + 3)
        key.appendID(of: path)
        self.id = key.bytes
    }

    /// Of a row that begins with `collection, id`.
    init(_ row: CacheRow) {
        self.collection = row.integer(0)
        self.id = row.bytes(1)
    }
}

extension DiskTables {
    /// Nil when nothing is known of the document's collection.
    func key(of path: ResourcePath) throws(StorageError) -> DocumentKey? {
        if let key = self.names.lastKey(of: path) { return key }
        guard let collection = path.parent, let number = try self.names.number(of: collection) else { return nil }
        return self.names.keep(DocumentKey(number, path), of: path)
    }

    func addedKey(of path: ResourcePath) throws(StorageError) -> DocumentKey {
        if let key = self.names.lastKey(of: path) { return key }
        guard path.isDocument, let collection = path.parent else { throw self.damage("\(path) is no document") }
        return self.names.keep(DocumentKey(try self.names.addedNumber(of: collection), path), of: path)
    }

    func path(of key: DocumentKey) throws(StorageError) -> ResourcePath {
        let collection = try self.names.collection(key.collection)
        guard let id = key.id.withUnsafeBytes(OrderPreservingKey.documentID(in:)),
            let path = try? collection.appending(id)
        else { throw self.damage("a document's id") }
        return path
    }

    /// The path of a document in the collection; `column` has its id.
    func path(in collection: ResourcePath, _ row: CacheRow, _ column: Int32) throws(StorageError) -> ResourcePath {
        guard let id = row.withBytes(column, OrderPreservingKey.documentID(in:)),
            let path = try? collection.appending(id)
        else { throw self.damage("a document's id") }
        return path
    }
}
