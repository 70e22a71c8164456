internal import BrasaApp
internal import BrasaCache
internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaStatus
internal import BrasaSync

extension CacheKind {
    /// Nil for caches in memory.
    func folder(app: String, database: DatabaseName) -> String? {
        switch self {
        case .eager, .leastRecentlyUsed: nil
        case .persistent(_, let root): Self.folder(in: root, app: app, database)
        }
    }

    var isPersistent: Bool {
        switch self {
        case .eager, .leastRecentlyUsed: false
        case .persistent: true
        }
    }

    /// Nil when there is nothing to be collected in the background.
    var bytesMax: Int? {
        switch self {
        case .eager: nil
        case .leastRecentlyUsed(let bytes), .persistent(let bytes, _): bytes < 0 ? nil : Int(clamping: bytes)
        }
    }

    /// Each app, project and database has one of its own.
    static func folder(in root: String?, app: String, _ database: DatabaseName) -> String {
        CacheLocation.folder(in: root, library: "firestore", [app, "\(database.project)", "\(database.database)"])
    }

    func makeStorage(app: String, database: DatabaseName) throws(SyncError) -> any SyncStorage {
        switch self {
        case .eager: return MemoryStorage(collector: .eager)
        case .leastRecentlyUsed: return MemoryStorage(collector: .leastRecentlyUsed)
        case .persistent(_, let root):
            let folder = Self.folder(in: root, app: app, database)
            do throws(DiskStorageError) {
                Firestore.log.debug("the cache is in \(folder)")
                return try DiskStorage(folder: folder, database: database)
            } catch {
                Firestore.log.notice(error.description)
                throw SyncError(error)
            }
        }
    }

    /// Takes away what is on disk. Refused while somebody uses it.
    func remove(app: String, database: DatabaseName) throws(SyncError) {
        guard let folder = self.folder(app: app, database: database) else { return }
        do throws(DiskStorageError) {
            try DiskStorage.remove(folder: folder)
        } catch {
            throw SyncError(error)
        }
    }
}

extension SyncError {
    fileprivate init(_ error: DiskStorageError) {
        let code: StatusCode =
            switch error.code {
            case .inUse, .newer: .failedPrecondition
            case .damaged: .dataLoss
            case .diskFull: .resourceExhausted
            case .inputOutput: .unavailable
            }
        self.init(code, error.description, cause: error.cause?.error)
    }
}
