import BrasaDocuments
import BrasaLog
import BrasaPlatform
import BrasaTree
import Synchronization

extension Store {
    /// Whether the log has grown enough since the last checkpoint for another to pay.
    package var isCheckpointDue: Bool {
        let bytes = self.log.bytesSinceCheckpoint
        guard bytes >= self.configuration.checkpointBytesMin else { return false }
        let receiptBytes = self.checkpointReceiptBytes.load(ordering: .relaxed)
        let documentBytes = self.databases.reduce(0) { $0 + $1.counts.checkpointBytes }
        let treeBytes = self.trees.all.reduce(0) { $0 + $1.newest.root.estimate }
        return bytes >= receiptBytes + documentBytes + treeBytes + self.trees.wills.bytes
    }

    /// To be called every second or so, on a thread that may wait for the disk. Whether a checkpoint was written.
    package func checkpointIfNeeded() throws(StoreError) -> Bool {
        guard self.isCheckpointDue, self.checkpointPace.withLock({ $0.isTime() }) else { return false }
        // The log comes first where there is room for one of them only.
        self.log.prepareNextSegment()
        let began = self.clock.monotonic()
        do throws(StoreError) {
            guard let run = try self.beginCheckpoint() else { return false }
            try run.finish()
        } catch {
            self.checkpointMeasures.withLock { $0.failed += 1 }
            if error.code == .diskFull { self.checkpointPace.withLock { $0.foundDiskFull() } }
            throw error
        }
        self.checkpointPace.withLock { $0.succeeded() }
        let (duration, wall) = (self.clock.monotonic() - began, self.clock.wall())
        self.checkpointMeasures.withLock { measures in
            measures.written += 1
            measures.microseconds = duration.microseconds
            measures.lastMicroseconds = wall.microseconds
        }
        return true
    }

    /// Writes a checkpoint now; none when one is being written already.
    package func checkpoint() throws(StoreError) {
        try self.beginCheckpoint()?.finish()
    }

    /// A checkpoint to be written chunk by chunk; nil when there already is one, or no log to shorten.
    package func beginCheckpoint() throws(StoreError) -> CheckpointRun? {
        guard self.configuration.log.durability != .memory else { return nil }
        let (exchanged, _) = self.isCheckpointing.compareExchange(
            expected: false,
            desired: true,
            ordering: .acquiringAndReleasing
        )
        guard exchanged else { return nil }
        do throws(StoreError) {
            return try CheckpointRun(of: self)
        } catch {
            self.isCheckpointing.store(false, ordering: .releasing)
            throw error
        }
    }
}

extension ShardCounts {
    /// What these documents take in a checkpoint, about.
    fileprivate var checkpointBytes: Int { self.fieldBytes + self.documents * 48 }
}

/// Writes the documents and trees of one moment, in the order of their names, so that loading them fills every tree at its end.
/// Commits go on meanwhile. Used by one thread; ends with `finish`, a step that throws, or its last reference.
package final class CheckpointRun {
    private let store: Store
    private let time: Int64
    private let writer: CheckpointWriter
    /// Each is let go when it was written.
    private var databases: ArraySlice<(DatabaseHandle, SnapshotPin)> = []
    /// As of the checkpoint's time. Each is let go when it was written.
    private(set) var trees: ArraySlice<TreeParts> = []
    /// What sessions leave, as of the checkpoint's time.
    private var wills: ArraySlice<(id: TreeWillID, will: TreeWill)>
    /// Of the databases, as of the checkpoint's time.
    private var newestCommits: ArraySlice<(database: DatabaseName, time: Int64)> = []
    private var scan: (database: DatabaseHandle, scan: NameScan)?
    /// Fetched and not written yet.
    private var entries: ArraySlice<NameScan.Entry> = []
    /// Asked for when all documents are written.
    private var receipts: ArraySlice<CommitReceipt>?
    private var receiptBytes = 0
    private var hasChunk = false
    private var isDone = false

    private static let chunkBytes = 256 << 10
    /// Whole leaves of the order of names.
    private static let documentsPerFetch = 8 * OrderedMapNode<DocumentChain>.entriesMax

    init(of store: Store) throws(StoreError) {
        self.store = store
        // What is forgotten from here on is not after the checkpoint's time.
        store.trees.steps.keep(after: store.commitClock.watermark)
        defer { store.trees.steps.keepNoMore() }
        let (time, wills) = store.trees.wills.all(at: { store.commitClock.readTime(exactly: true) })
        self.time = time
        self.wills = wills[...]
        for tree in store.trees.all {
            guard let root = tree.root(at: self.time) else { throw StoreError(.readTimeTooOld) }
            self.trees.append(TreeParts(of: root, in: tree.name))
        }
        for database in store.databases {
            self.databases.append((database, try database.history.pin(self.time, isFirm: true)))
            let newest = store.documents.changes.newestCommit(through: self.time, in: database)
            if let newest, newest > .min { self.newestCommits.append((database.name, newest)) }
        }
        do throws(LogError) {
            self.writer = try store.log.beginCheckpoint(time: self.time)
        } catch {
            throw StoreError(refused: error)
        }
    }

    deinit {
        if !self.isDone { self.writer.abandon() }
        self.store.isCheckpointing.store(false, ordering: .releasing)
    }

    package func finish() throws(StoreError) {
        while try self.step() {}
    }

    /// Writes one chunk, or completes the checkpoint; whether there is more to do.
    package func step() throws(StoreError) -> Bool {
        guard !self.isDone else { return false }
        if self.receipts == nil {
            // Trees come as soon as they may: until they are written they keep versions that nobody counts.
            if self.hasChunk, let chunk = self.treesChunk() ?? self.willsChunk() {
                try self.write(chunk)
                return true
            }
            if let chunk = try self.documentsChunk() {
                try self.write(chunk)
                return true
            }
            if let chunk = self.databasesChunk() {
                try self.write(chunk)
                return true
            }
            self.receipts = (self.store.receiptKeeper?.receipts(through: Timestamp(microseconds: self.time)) ?? [])[...]
        }
        if let chunk = self.receiptsChunk() {
            try self.write(chunk)
            return true
        }
        try self.complete()
        return false
    }

    private func beginChunk(_ kind: ChunkKind) -> RecordWriter {
        var chunk = RecordWriter(capacity: Self.chunkBytes + (64 << 10))
        chunk.append(
            kind: kind,
            snapshotTime: self.time,
            creationTime: self.store.creationTime.microseconds
        )
        return chunk
    }

    /// Nil when all documents are written. The first one comes also without any: it has the times.
    private func documentsChunk() throws(StoreError) -> [UInt8]? {
        var chunk = self.beginChunk(.documents)
        let empty = chunk.bytes.count
        while chunk.bytes.count < Self.chunkBytes {
            guard let (database, documents) = try self.nextRun(bytes: Self.chunkBytes - chunk.bytes.count) else {
                break
            }
            chunk.append(run: database.name, count: documents.count)
            for (path, document) in documents {
                chunk.append(path: path, document: document, snapshotTime: self.time)
            }
        }
        guard chunk.bytes.count > empty || !self.hasChunk else { return nil }
        return chunk.bytes
    }

    /// Nil when all are written.
    private func treesChunk() -> [UInt8]? {
        guard !self.trees.isEmpty else { return nil }
        var chunk = self.beginChunk(.trees)
        let empty = chunk.bytes.count
        while chunk.bytes.count < Self.chunkBytes, let tree = self.trees.indices.first {
            if !self.trees[tree].append(to: &chunk, bytes: Self.chunkBytes - chunk.bytes.count) {
                self.trees.removeFirst()
            }
        }
        return chunk.bytes.count > empty ? chunk.bytes : nil
    }

    /// Nil when all are written.
    private func willsChunk() -> [UInt8]? {
        guard !self.wills.isEmpty else { return nil }
        var chunk = self.beginChunk(.treeWills)
        while chunk.bytes.count < Self.chunkBytes, let (id, will) = self.wills.popFirst() {
            chunk.append(will, id: id, snapshotTime: self.time)
        }
        return chunk.bytes
    }

    /// Nil when all are written.
    private func databasesChunk() -> [UInt8]? {
        guard !self.newestCommits.isEmpty else { return nil }
        var chunk = self.beginChunk(.databases)
        while chunk.bytes.count < Self.chunkBytes, let newest = self.newestCommits.popFirst() {
            chunk.append(newestCommit: newest.time, of: newest.database, snapshotTime: self.time)
        }
        return chunk.bytes
    }

    /// Nil when all are written.
    private func receiptsChunk() -> [UInt8]? {
        guard self.receipts?.isEmpty == false else { return nil }
        var chunk = self.beginChunk(.receipts)
        while chunk.bytes.count < Self.chunkBytes, let receipt = self.receipts?.popFirst() {
            chunk.append(receipt, snapshotTime: self.time)
        }
        self.receiptBytes += chunk.bytes.count
        return chunk.bytes
    }

    /// The next documents of one database that take about `bytes`, at least one; nil at the end of the last database.
    private func nextRun(bytes: Int) throws(StoreError) -> (DatabaseHandle, [(ResourcePath, Document)])? {
        while true {
            if let database = self.scan?.database {
                if self.entries.isEmpty {
                    self.entries = try self.scan?.scan.next(Self.documentsPerFetch)[...] ?? []
                }
                var documents: [(ResourcePath, Document)] = []
                var room = bytes
                while room > 0, let entry = self.entries.popFirst() {
                    guard let document = entry.document else { continue }
                    documents.append((entry.path, document))
                    room -= entry.path.bytes.count + document.fields.bytes.count
                }
                if !documents.isEmpty { return (database, documents) }
            }
            guard let (database, pin) = self.databases.popFirst() else { return nil }
            let scan = NameScan(
                database,
                scopes: [.everything],
                pin: pin,
                history: database.history,
                isDescending: false,
                showMissing: false
            )
            self.scan = (database, scan)
        }
    }

    private func write(_ chunk: [UInt8]) throws(StoreError) {
        do throws(LogError) {
            try self.writer.append(chunk)
            self.hasChunk = true
        } catch {
            throw StoreError(refused: error)
        }
    }

    private func complete() throws(StoreError) {
        do throws(LogError) {
            try self.writer.commit()
            self.isDone = true
            self.store.checkpointTime.store(self.time, ordering: .relaxed)
            self.store.checkpointReceiptBytes.store(self.receiptBytes, ordering: .relaxed)
        } catch {
            throw StoreError(refused: error)
        }
    }
}
