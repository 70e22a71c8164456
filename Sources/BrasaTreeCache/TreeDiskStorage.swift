package import BrasaCacheFile
package import BrasaTree
package import BrasaTreeSync

/// The cache of a Realtime Database's client on disk: one SQLite file with its queued writes, and what it last knew of each
/// target that it listened to.
///
/// Unchecked: whoever opens it hands it on to the client's event loop, which waits for the disk.
package final class TreeDiskStorage: TreeStorage, @unchecked Sendable {
    private let file: CacheFile
    private let tables: TreeTables
    private let bytesMax: Int
    private let log: @Sendable (String) -> Void
    private let restored: [PendingWrite]
    /// What has become of queued writes and is not on the disk yet, since that is full or fails.
    private var backlog: [StoredChange] = []
    private var nextTry: ContinuousClock.Instant?
    private var targets = Targets.kept

    private enum Targets {
        case kept
        /// The disk has refused something of them: what it has is forgotten, and nothing is kept until the next start.
        case toBeForgotten
        case forgotten
    }

    /// Between attempts at a disk that refuses.
    private static let patience = Duration.seconds(1)

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
        let file = try DiskStorageError.wrapping(folder) { () throws(SQLiteError) in
            try CacheFile(place.file)
        }
        try file.migrate(folder: folder, applicationID: TreeTables.applicationID, steps: TreeTables.steps)
        (self.tables, self.restored) = try DiskStorageError.wrapping(folder) { () throws(SQLiteError) in
            (try TreeTables(file), try TreeTables.queuedWrites(file))
        }
        (self.file, self.bytesMax, self.log) = (file, bytesMax, log)
    }

    deinit {
        self.nextTry = nil
        self.apply([])
        if !self.backlog.isEmpty {
            self.log("the cache on disk has not kept \(self.backlog.count) changes of queued writes")
        }
    }

    package func queuedWrites() -> [PendingWrite] { self.restored }

    package func node(of target: TreeTarget) -> StoredNode? {
        guard self.targets == .kept else { return nil }
        do throws(SQLiteError) {
            return try self.tables.node(of: target)
        } catch {
            self.log("the cache on disk cannot give what was at \(target.path): \(error)")
            return nil
        }
    }

    package func apply(_ changes: [StoredChange]) {
        self.backlog += changes.filter(\.isOfQueue)
        let others = self.targets == .kept ? changes.filter { !$0.isOfQueue } : []
        do throws(SQLiteError) {
            if !others.isEmpty || self.isTimeToTry { try self.write(others) }
        } catch {
            self.log("the cache on disk refuses what it should keep: \(error)")
            if self.targets == .kept {
                // There may be room for the writes without them.
                self.targets = .toBeForgotten
                return self.apply([])
            }
            self.nextTry = .now + Self.patience
        }
    }

    /// Once there is something to write, and some time after the disk has refused it.
    private var isTimeToTry: Bool {
        (!self.backlog.isEmpty || self.targets == .toBeForgotten) && self.nextTry.map { $0 <= .now } ?? true
    }

    private func write(_ others: [StoredChange]) throws(SQLiteError) {
        let isDurable = self.backlog.contains(where: \.isQueued)
        try self.file.setSynced(isDurable)
        let isSmaller = try self.file.transaction { () throws(SQLiteError) in
            if self.targets == .toBeForgotten { try self.tables.forgetAll() }
            for change in self.backlog + others { try self.tables.apply(change) }
            return try self.tables.trim(to: self.bytesMax)
        }
        (self.backlog, self.nextTry) = ([], nil)
        if self.targets == .toBeForgotten { self.targets = .forgotten }
        if isSmaller { try self.file.shrink(pages: 1_000) }
    }

    /// For tests: as if the disk had room for so many pages.
    func limit(pages: Int) throws(SQLiteError) {
        try self.file.execute("PRAGMA max_page_count = \(pages)")
    }
}

extension StoredChange {
    fileprivate var isQueued: Bool { if case .queued = self { true } else { false } }

    fileprivate var isOfQueue: Bool {
        switch self {
        case .queued, .unqueued: true
        case .used, .confirmed, .closed, .forgotten, .set: false
        }
    }
}
