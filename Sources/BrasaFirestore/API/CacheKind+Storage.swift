internal import BrasaDocuments
internal import BrasaSync

extension CacheKind {
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
        case .leastRecentlyUsed(let bytes), .persistent(let bytes, _): bytes < 0 ? nil : Int(bytes)
        }
    }

    func makeStorage(app: String, database: DatabaseName) throws(SyncError) -> any SyncStorage {
        switch self {
        case .eager: MemoryStorage(collector: .eager)
        case .leastRecentlyUsed: MemoryStorage(collector: .leastRecentlyUsed)
        case .persistent: throw SyncError(.unimplemented)
        }
    }
}
