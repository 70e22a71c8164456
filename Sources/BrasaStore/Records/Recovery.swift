import BrasaDocuments
import BrasaLog
import BrasaPlatform
import BrasaTree

/// Fills documents and trees from what the log kept: a checkpoint's chunks, then the records after it. They are others than
/// at the beginning when a checkpoint turned out not to be whole.
struct Recovery {
    let documents: VersionedDocuments
    let trees: TreeRegistry
    /// Reads the documents of checkpoints; nil when there was none yet.
    private var crew: Crew?
    /// Of the checkpoint; nil when all its trees are there.
    private var loadingTrees: TreeLoading?
    /// When the store was made.
    private(set) var creationTime: Int64?
    /// Of the checkpoint, if there was one: changes before it were not seen one by one.
    private(set) var snapshotTime: Int64?
    private(set) var lastTime = Int64.min
    private var recordsSincePruning = 0
    private static let recordsPerLook = 256
    private var database: DatabaseHandle?
    private(set) var receipts = RecoveredReceipts()

    init(configuration: Store.Configuration, entropy: Entropy) {
        self.init(
            into: VersionedDocuments(configuration: configuration, entropy: entropy),
            TreeRegistry(configuration: configuration)
        )
    }

    init(into documents: VersionedDocuments, _ trees: TreeRegistry) {
        self.documents = documents
        self.trees = trees
    }

    /// Reads from here on are complete: a checkpoint has no older versions.
    var oldestReadTime: Int64? { self.snapshotTime ?? self.creationTime }

    mutating func read(_ entry: LogEntry) throws(LogRejection) {
        switch entry {
        case .checkpointChunk(let bytes): try self.readChunk(bytes)
        case .checkpointVoid:
            self = Recovery(into: self.documents.emptied(), TreeRegistry(configuration: self.documents.configuration))
        case .record(let time, let bytes):
            // What the checkpoint covers may still be there.
            guard time > self.snapshotTime ?? .min else { return }
            try self.endLoadingTrees()
            try self.readRecord(bytes, time: time)
            self.lastTime = time
            self.keepBounded()
        }
    }

    private mutating func readChunk(_ bytes: UnsafeRawBufferPointer) throws(LogRejection) {
        var reader = RecordReader(bytes)
        let kind = try reader.byte()
        guard let kind = ChunkKind(rawValue: kind) else { throw LogRejection("chunk kind \(kind) is unknown") }
        let snapshotTime = try reader.fixed()
        self.snapshotTime = snapshotTime
        self.creationTime = try reader.fixed()
        self.lastTime = snapshotTime
        self.documents.changes.begin(after: snapshotTime)
        self.trees.steps.begin(after: snapshotTime)
        switch kind {
        case .documents: try self.readDocuments(&reader, snapshotTime: snapshotTime)
        case .receipts:
            while !reader.isAtEnd {
                let time = try reader.time(before: snapshotTime)
                self.receipts.append(try reader.receipt(time: time, after: self.receipts.last?.database))
            }
        case .databases:
            while !reader.isAtEnd {
                let database = try self.handle(reader.databaseName())
                self.documents.changes.begin(database, after: try reader.time(before: snapshotTime))
            }
        case .trees:
            var loading = self.loadingTrees.take() ?? TreeLoading(into: self.trees)
            try loading.read(&reader, snapshotTime: snapshotTime)
            self.loadingTrees = loading
        case .treeWills:
            while !reader.isAtEnd {
                let tree = self.trees.handle(try reader.treeName())
                let id = try reader.willID(time: snapshotTime)
                self.trees.wills.load(try reader.will(of: tree), as: id)
            }
        }
    }

    /// Several parts, all of which are read at once. The first flaw is told, whichever thread meets it.
    private mutating func readDocuments(
        _ reader: inout RecordReader,
        snapshotTime: Int64
    ) throws(LogRejection) {
        var runs: [RecordedDocuments] = []
        var end = Result<Void, LogRejection>.success(())
        do throws(LogRejection) {
            while !reader.isAtEnd {
                let database = try self.handle(reader.databaseName())
                try reader.passDocuments(of: database, into: &runs)
            }
        } catch {
            end = .failure(error)
        }
        let crew = self.crew ?? Crew(name: "brasa-load", threads: self.documents.configuration.startThreads)
        self.crew = crew
        try self.documents.load(runs, snapshotTime: snapshotTime, crew)
        try end.get()
    }

    private mutating func readRecord(_ bytes: UnsafeRawBufferPointer, time: Int64) throws(LogRejection) {
        var reader = RecordReader(bytes)
        let kind = try reader.byte()
        switch RecordKind(rawValue: kind) {
        case .creation: self.creationTime = time
        case .commit: try self.readCommit(&reader, time: time)
        case .commitWithReceipt:
            let receipt = try reader.receipt(time: time, after: self.receipts.last?.database)
            try self.readCommit(&reader, time: time)
            self.receipts.append(receipt)
        case .tree: try self.readTreeCommit(&reader, time: time)
        case .treeWill: try self.readWillStep(&reader, time: time)
        case .treeEnding:
            let will = try reader.willID(time: time)
            try self.readTreeCommit(&reader, ending: will, time: time)
        case nil: throw LogRejection("record kind \(kind) is unknown")
        }
    }

    private mutating func readCommit(_ reader: inout RecordReader, time: Int64) throws(LogRejection) {
        var changes: [DocumentChange] = []
        while !reader.isAtEnd {
            let database = try self.handle(reader.databaseName())
            for _ in 0..<(try reader.varint()) {
                changes.append(try reader.change(in: database, time: time).change)
            }
        }
        self.documents.add(changes, time: time)
    }

    private func readWillStep(_ reader: inout RecordReader, time: Int64) throws(LogRejection) {
        let tree = self.trees.handle(try reader.treeName())
        let will = try reader.willID(time: time)
        try self.recover(try reader.willChanges(), of: will, in: tree, time: time)
    }

    private func recover(
        _ changes: [TreeWillChange]?,
        of will: TreeWillID,
        in tree: TreeHandle,
        time: Int64
    ) throws(LogRejection) {
        guard self.trees.wills.recover(changes, of: will, in: tree, time: time) else {
            throw LogRejection("a session that is not there leaves something")
        }
    }

    private mutating func readTreeCommit(
        _ reader: inout RecordReader,
        ending will: TreeWillID? = nil,
        time: Int64
    ) throws(LogRejection) {
        let tree = self.trees.handle(try reader.treeName())
        if let will { try self.recover(nil, of: will, in: tree, time: time) }
        let changes = try reader.treeChanges()
        let before = tree.newest.root
        let after = changes.reduce(before) { $1.applied(to: $0) }
        self.trees.add(TreeStep(changes, of: tree, from: before, to: after, time: time), horizon: time)
        self.trees.steps.freeForgotten()
    }

    /// The checkpoint has no more chunks.
    private mutating func endLoadingTrees() throws(LogRejection) {
        guard var loading = self.loadingTrees.take() else { return }
        try loading.finish(snapshotTime: self.snapshotTime ?? .min)
    }

    /// Most entries are in the database of the one before.
    private mutating func handle(_ name: DatabaseName) -> DatabaseHandle {
        if let database = self.database, database.name == name { return database }
        let database = self.documents.registry.handle(name)
        self.documents.beginLoading(database)
        self.database = database
        return database
    }

    /// A long log must not bring much more history into memory than serving would have kept. All databases are looked at for
    /// that, so where they are many it is done for as many records, or when there is too much.
    private mutating func keepBounded() {
        self.recordsSincePruning += 1
        guard self.recordsSincePruning.isMultiple(of: Self.recordsPerLook) else { return }
        guard self.recordsSincePruning >= self.documents.registry.count || self.documents.isHistoryOverfull else {
            return
        }
        self.recordsSincePruning = 0
        guard self.documents.isPruningDue(now: self.lastTime) else { return }
        self.endLoading()
        while self.documents.prune(now: self.lastTime) {}
    }

    /// Everything was read.
    mutating func finish() throws(LogRejection) {
        try self.endLoadingTrees()
        self.endLoading()
    }

    /// What was read so far is to be used.
    private mutating func endLoading() {
        self.crew = nil
        self.documents.endLoading()
        self.database = nil
    }
}
