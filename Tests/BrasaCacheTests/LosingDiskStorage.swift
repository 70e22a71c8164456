import BrasaCacheFile
import Foundation

@testable import BrasaCache
@testable import BrasaSync
@testable import BrasaSyncSpecification

/// A cache on disk that the power can be taken from. Its log is brought into the file when it is opened and not again, so
/// that what was synced is the file as it was then, and the log up to where the last synced operation ended.
final class LosingDiskStorage: LosingStorage {
    private let folder: TemporaryFolder
    private let file: URL
    private let log: URL
    private var disk: DiskStorage
    private var syncedFile = Data()
    private var syncedCount = 0

    init() throws {
        self.folder = try TemporaryFolder()
        self.file = URL(filePath: "\(self.folder.path)/cache.sqlite")
        self.log = URL(filePath: "\(self.folder.path)/cache.sqlite-wal")
        self.disk = try DiskStorage(folder: self.folder.path, database: SpecModel.database())
        try self.opened()
    }

    private func opened() throws {
        try self.disk.open?.connection.file.execute(
            "PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE)"
        )
        self.syncedFile = try Data(contentsOf: self.file)
        self.syncedCount = self.logCount
    }

    private var logCount: Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: self.log.path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    /// As after the process was killed.
    func reopen() throws {
        self.disk.close()
        self.disk = try DiskStorage(folder: self.folder.path, database: SpecModel.database())
        try self.opened()
    }

    /// The log may end anywhere behind what was synced.
    func losePower(keepingSome: (_ count: Int) -> Int) throws {
        let kept = self.syncedCount + keepingSome(self.logCount - self.syncedCount)
        let log = kept == 0 ? Data() : try Data(contentsOf: self.log).prefix(kept)
        self.disk.close()
        try self.syncedFile.write(to: self.file)
        try log.write(to: self.log)
        self.disk = try DiskStorage(folder: self.folder.path, database: SpecModel.database())
        try self.opened()
    }

    // MARK: - SyncStorage

    var viewReferences: ReferenceSet { self.disk.viewReferences }

    var sizeWatch: SizeWatch? {
        get { self.disk.sizeWatch }
        set { self.disk.sizeWatch = newValue }
    }

    func transaction<Result>(
        _ operation: StorageOperation,
        _ body: (any StorageTables) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let result = try self.disk.transaction(operation, body)
        if operation.isDurable { self.syncedCount = self.logCount }
        return result
    }

    func collectGarbage(
        _ limits: CollectionLimits,
        active: Set<TargetID>
    ) throws(StorageError) -> CollectionOutcome {
        try self.disk.collectGarbage(limits, active: active)
    }

    func close() {
        self.disk.close()
    }
}
