package import BrasaCacheFile
package import BrasaTree
package import BrasaTreeSync
internal import GRDB

/// The cache of a Realtime Database's client on disk: one SQLite file with its queued writes, and what it last knew of each
/// target that it listened to.
///
/// Unchecked: whoever opens it hands it on to the client's event loop, which waits for the disk.
package final class TreeDiskStorage: TreeStorage, @unchecked Sendable {
    /// What is not on the disk yet, for want of room or because of a fault.
    private var backlog: [StoredChange] = []
    private let file: CacheFile
    private let tables: TreeTables
    private let bytesMax: Int
    private let log: @Sendable (String) -> Void
    private var isSynced = false

    /// Of changes that wait for a disk; then what listens brought is given up.
    private static let backlogMax = 10_000

    /// Makes the folder, and the file, when there are none.
    /// - Parameters:
    ///   - bytesMax: of what targets keep once nobody listens to them, about.
    ///   - log: is told of what the disk refuses.
    package init(
        folder: String,
        bytesMax: Int,
        log: @escaping @Sendable (String) -> Void
    ) throws(DiskStorageError) {
        let place = CacheFolder(folder)
        try place.make()
        let file = try DiskStorageError.wrapping(folder) { () throws(DatabaseError) in
            try CacheFile(place.file, label: "BrasaTreeCache")
        }
        do throws(DiskStorageError) {
            try file.migrate(folder: folder, applicationID: TreeTables.applicationID, steps: TreeTables.steps)
            self.tables = try DiskStorageError.wrapping(folder) { () throws(DatabaseError) in
                try file.write { try TreeTables($0) }
            }
        } catch {
            file.close()
            throw error
        }
        (self.file, self.bytesMax, self.log) = (file, bytesMax, log)
    }

    deinit {
        self.file.close()
    }

    package func queuedWrites() -> [PendingWrite] {
        self.read("queued writes") { try self.tables.queuedWrites($0) } ?? []
    }

    package func node(of target: TreeTarget) -> StoredNode? {
        // What waits for the disk would be missing in it.
        guard self.backlog.isEmpty else { return nil }
        return self.read("what was at \(target.path)") { try self.tables.node(of: target, $0) } ?? nil
    }

    package func apply(_ changes: [StoredChange]) {
        self.backlog += changes
        do throws(DatabaseError) {
            try self.file.write { database in
                try self.setSynced(self.backlog.contains(where: \.isDurable), database)
                try database.inTransaction(.immediate) {
                    for change in self.backlog { try self.tables.apply(change, database) }
                    try self.tables.trim(to: self.bytesMax, database)
                    return .commit
                }
            }
            self.backlog = []
        } catch {
            // What the transaction has noted in memory may not be there.
            self.tables.forgetOpen()
            self.log("the cache on disk refuses what it should keep: \(error)")
            if self.backlog.count > Self.backlogMax { self.shortenBacklog() }
        }
    }

    /// Writes stay. What was kept of targets is out of date from now on.
    private func shortenBacklog() {
        var targets: Set<TreeTarget> = []
        var writes: [StoredChange] = []
        let unqueued = Set(self.backlog.compactMap { if case .unqueued(let id) = $0 { id } else { nil } })
        for change in self.backlog {
            switch change {
            case .queued(let write): if !unqueued.contains(write.id) { writes.append(change) }
            case .unqueued: writes.append(change)
            case .used(let target), .closed(let target), .forgotten(let target), .set(let target, _):
                targets.insert(target)
            }
        }
        self.backlog = writes + targets.map { .forgotten($0) }
    }

    /// Whether the next commits wait until they are on stable storage, and all before them.
    private func setSynced(_ isSynced: Bool, _ database: Database) throws {
        guard isSynced != self.isSynced else { return }
        try database.execute(sql: isSynced ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        self.isSynced = isSynced
    }

    /// For tests: as if the disk had room for so many pages.
    func limit(pages: Int) throws(DatabaseError) {
        try self.file.write { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") }
    }

    private func read<Output>(_ what: String, _ body: (Database) throws -> Output) -> Output? {
        do throws(DatabaseError) {
            return try self.file.write(body)
        } catch {
            self.log("the cache on disk cannot give \(what): \(error)")
            return nil
        }
    }
}

extension StoredChange {
    /// A user may be told that it is done.
    fileprivate var isDurable: Bool {
        switch self {
        case .queued: true
        case .unqueued, .used, .closed, .forgotten, .set: false
        }
    }
}
