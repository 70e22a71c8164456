internal import BrasaCacheFile
internal import BrasaStatus
internal import BrasaTreeCache

/// What a database's client keeps over restarts, and where.
struct Persistence: Sendable {
    static let bytesDefault: UInt = 10 << 20
    static let bytesAllowed: ClosedRange<UInt> = (1 << 20)...(100 << 20)

    var isEnabled = false
    var bytesMax = Self.bytesDefault
    /// Nil is the usual one.
    var folder: String?

    /// Nil when nothing is kept.
    func open(app: String, _ address: DatabaseAddress) throws(DatabaseFault) -> TreeDiskStorage? {
        guard self.isEnabled else { return nil }
        let folder = CacheLocation.folder(
            in: self.folder,
            library: "firebase-database",
            [app, "\(address.server)", address.name]
        )
        do throws(DiskStorageError) {
            return try TreeDiskStorage(folder: folder, bytesMax: Int(self.bytesMax)) { Database.log.notice($0) }
        } catch {
            throw DatabaseFault(error.description, cause: error.cause?.error)
        }
    }
}
