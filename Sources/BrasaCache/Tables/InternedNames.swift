internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaSync

/// The numbers that stand for users and collections in the other tables. What was looked up stays in memory, up to a
/// bound.
final class InternedNames {
    private let user, addUser, userKey, collection, addCollection, collectionPath, collectionsByID: TableStatement
    private let connection: CacheConnection

    private var users: [SyncUser: Int64] = [:]
    private var collections: [ResourcePath: Int64] = [:]
    private var paths: [Int64: ResourcePath] = [:]
    /// A document's tables are asked for it one after the other: its collection and its id are made out once.
    private var lastDocument: (path: ResourcePath, key: DocumentKey)?

    private static let keptMax = 4096

    init(_ connection: CacheConnection) throws(SQLiteError) {
        self.connection = connection
        self.user = try connection.statement("SELECT number FROM users WHERE uid = ?")
        self.addUser = try connection.statement("INSERT INTO users (uid) VALUES (?)")
        self.userKey = try connection.statement("SELECT uid FROM users WHERE number = ?")
        self.collection = try connection.statement("SELECT number FROM collections WHERE path = ?")
        self.addCollection = try connection.statement("INSERT INTO collections (path, collection_id) VALUES (?, ?)")
        self.collectionPath = try connection.statement("SELECT path FROM collections WHERE number = ?")
        self.collectionsByID = try connection.statement(
            "SELECT number, path FROM collections WHERE collection_id = ? ORDER BY number"
        )
    }

    /// After a transaction that was rolled back, or took collections away.
    func forget() {
        self.users = [:]
        self.collections = [:]
        self.paths = [:]
        self.lastDocument = nil
    }

    // MARK: - The last document

    func lastKey(of path: ResourcePath) -> DocumentKey? {
        guard let last = self.lastDocument, last.path == path else { return nil }
        return last.key
    }

    func keep(_ key: DocumentKey, of path: ResourcePath) -> DocumentKey {
        self.lastDocument = (path, key)
        return key
    }

    // MARK: - Users

    /// Nil when nothing is known of the user.
    func number(of user: SyncUser) throws(StorageError) -> Int64? {
        if let number = self.users[user] { return number }
        guard let number = try self.user.first(.blob(user.key), read: { $0.integer(0) }) else { return nil }
        self.keep(number, of: user)
        return number
    }

    func addedNumber(of user: SyncUser) throws(StorageError) -> Int64 {
        if let number = try self.number(of: user) { return number }
        try self.addUser.run(.blob(user.key))
        let number = self.connection.file.lastInsertedID
        self.keep(number, of: user)
        return number
    }

    /// Of a number out of another table.
    func user(_ number: Int64) throws(StorageError) -> SyncUser {
        let key = try self.userKey.first(.integer(number)) { $0.bytes(0) }
        guard let key, let user = SyncUser(key: key) else {
            throw StorageError(self.connection.operation, damaged: "a user")
        }
        return user
    }

    private func keep(_ number: Int64, of user: SyncUser) {
        if self.users.count >= Self.keptMax { self.users = [:] }
        self.users[user] = number
    }

    // MARK: - Collections

    /// Nil when nothing is known of the collection.
    func number(of collection: ResourcePath) throws(StorageError) -> Int64? {
        if let number = self.collections[collection] { return number }
        let found = try self.collection.first(.blob(collection.bytes.array)) { $0.integer(0) }
        guard let found else { return nil }
        self.keep(found, of: collection)
        return found
    }

    func addedNumber(of collection: ResourcePath) throws(StorageError) -> Int64 {
        if let number = try self.number(of: collection) { return number }
        try self.addCollection.run(.blob(collection.bytes.array), .blob(Array(collection.collectionID)))
        let number = self.connection.file.lastInsertedID
        self.keep(number, of: collection)
        return number
    }

    /// Of a number out of another table.
    func collection(_ number: Int64) throws(StorageError) -> ResourcePath {
        if let path = self.paths[number] { return path }
        let bytes = try self.collectionPath.first(.integer(number)) { $0.bytes(0) }
        let path = try self.path(bytes ?? [])
        self.keep(number, of: path)
        return path
    }

    func collections(withID id: UTF8Text) throws(StorageError) -> [ResourcePath] {
        try self.collectionsByID.all(.blob(id.bytes)) { row throws(StorageError) in try self.path(row.bytes(1)) }
    }

    private func path(_ bytes: [UInt8]) throws(StorageError) -> ResourcePath {
        guard let path = try? ResourcePath(parsing: bytes), path.isCollection else {
            throw StorageError(self.connection.operation, damaged: "a collection")
        }
        return path
    }

    private func keep(_ number: Int64, of collection: ResourcePath) {
        if self.collections.count >= Self.keptMax {
            self.collections = [:]
            self.paths = [:]
        }
        self.collections[collection] = number
        self.paths[number] = collection
    }
}

extension SyncUser {
    /// Nobody is not the user with the empty id.
    fileprivate var key: [UInt8] { self.uid.map { [1] + Array($0.utf8) } ?? [] }

    fileprivate init?(key: [UInt8]) {
        guard let first = key.first else {
            self = .signedOut
            return
        }
        guard first == 1, let uid = String(validating: key.dropFirst(), as: UTF8.self) else { return nil }
        self.init(uid: uid)
    }
}
