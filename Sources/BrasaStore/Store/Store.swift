package import BrasaDocuments
package import BrasaLog
package import BrasaPlatform
import Synchronization

/// The documents of all databases and all trees in memory, versioned, with a log that makes commits durable.
///
/// Any thread may read. The writer's functions (`Store+Commit.swift`) are called by one caller at a time. Guards: documents
/// by their shard's lock and their database's order (`DatabaseHandle`); times by `CommitClock`; what reads of a database
/// may see by its `ReadHistory`; which indexes there are by `IndexRegistry`; a tree's
/// versions by its `TreeHandle`, the steps to them by `TreeSteps`, their names by `TreeRegistry`. A shard is locked under its
/// order, a handle's versions and the steps under the registry of names; no other lock is taken while another of these is
/// held.
package final class Store: Sendable {
    let documents: VersionedDocuments
    let trees: TreeRegistry
    let commitClock: CommitClock
    let log: StoreLog
    let configuration: Configuration
    let indexRegistry: IndexRegistry
    let receiptKeeper: (any ReceiptKeeper)?
    let memoryBound: MemoryBound
    let isCheckpointing = Atomic<Bool>(false)
    let checkpointPace = Mutex(CheckpointPace())
    let checkpointMeasures = Mutex(CheckpointMeasures())
    let commitMeasures = CommitMeasures()
    let clock: Clock
    /// Of the newest checkpoint; `Int64.min` when there is none.
    let checkpointTime: Atomic<Int64>
    /// What receipts take in it; 0 after a start, so that the first checkpoint comes somewhat earlier.
    let checkpointReceiptBytes = Atomic<Int>(0)
    /// Before this there was no store.
    package let creationTime: Timestamp
    /// Another one each time the store is opened. Of times from another life it is not certain that they mean the same
    /// states: the disk may have lost what came before them, and the clock may have been set back.
    package let life: UInt64

    private init(
        documents: VersionedDocuments,
        trees: TreeRegistry,
        commitClock: CommitClock,
        clock: Clock,
        log: StoreLog,
        configuration: Configuration,
        indexRegistry: IndexRegistry,
        receiptKeeper: (any ReceiptKeeper)?,
        creationTime: Int64,
        checkpointTime: Int64?,
        life: UInt64
    ) {
        self.documents = documents
        self.trees = trees
        self.commitClock = commitClock
        self.clock = clock
        self.log = log
        self.configuration = configuration
        self.indexRegistry = indexRegistry
        self.receiptKeeper = receiptKeeper
        self.memoryBound = MemoryBound(
            bytesMax: configuration.memoryBytesMax,
            reserved: configuration.memoryBytesReserved
        )
        self.creationTime = Timestamp(microseconds: creationTime)
        self.checkpointTime = Atomic(checkpointTime ?? .min)
        self.life = life
    }

    /// Recovers what the folder holds, or begins a new store in an empty one. See the other `open`.
    package static func open(
        configuration: Configuration,
        disk: any Disk,
        directory: String,
        clock: Clock,
        entropy: Entropy,
        receiptKeeper: (any ReceiptKeeper)? = nil,
        onDurable: @escaping @Sendable (Timestamp) -> Void = { _ in },
        onFailure: @escaping @Sendable (LogError) -> Void = { _ in },
        onDiskFull: @escaping @Sendable (LogError?) -> Void = { _ in },
        onIndexRequested: @escaping @Sendable () -> Void = {}
    ) throws(StoreError) -> Store {
        try self.open(
            configuration: configuration,
            clock: clock,
            entropy: entropy,
            receiptKeeper: receiptKeeper,
            onDurable: onDurable,
            onFailure: onFailure,
            onDiskFull: onDiskFull,
            onIndexRequested: onIndexRequested
        ) { (observer, replay) throws(LogError) -> StoreLog in
            let log = try WriteAheadLog.open(
                disk: disk,
                directory: directory,
                configuration: configuration.log,
                clock: clock,
                entropy: entropy,
                observer: observer,
                replay: replay
            )
            return .files(log)
        }
    }

    /// Recovers what the log holds that `openLog` opens, or begins a new store in an empty one. `onDurable` is called on the
    /// log's thread when commits became visible, `onFailure` when the log failed, `onDiskFull` when it has no room to go on
    /// in, or, with nil, has it again; `onIndexRequested` on a reader's when there is work for `indexStep`. The keeper is
    /// told what there is of receipts before this returns.
    package static func open(
        configuration: Configuration,
        clock: Clock,
        entropy: Entropy,
        receiptKeeper: (any ReceiptKeeper)? = nil,
        onDurable: @escaping @Sendable (Timestamp) -> Void = { _ in },
        onFailure: @escaping @Sendable (LogError) -> Void = { _ in },
        onDiskFull: @escaping @Sendable (LogError?) -> Void = { _ in },
        onIndexRequested: @escaping @Sendable () -> Void = {},
        log openLog: (
            _ observer: LogObserver, _ replay: (LogEntry) throws(LogRejection) -> Void
        ) throws(LogError) -> StoreLog
    ) throws(StoreError) -> Store {
        let commitClock = CommitClock(clock: clock)
        let observer = LogObserver(
            onDurable: { time in
                commitClock.isDurable(time)
                onDurable(Timestamp(microseconds: time))
            },
            onFailure: onFailure,
            onDiskFull: onDiskFull
        )
        var recovery = Recovery(configuration: configuration, entropy: entropy)
        do throws(LogError) {
            let log = try openLog(observer) { (entry) throws(LogRejection) in try recovery.read(entry) }
            do throws(LogRejection) {
                try recovery.finish()
            } catch {
                throw LogError(.rejected, detail: error.reason)
            }
            receiptKeeper?.recovered(recovery.receipts.all)
            let creationTime = recovery.creationTime ?? clock.wall().microseconds
            commitClock.resume(after: max(recovery.lastTime, log.lastTime, creationTime))
            recovery.documents.resume(oldestReadTime: recovery.oldestReadTime ?? creationTime)
            if recovery.creationTime == nil {
                try log.append(time: creationTime, record: RecordWriter.creation(), waiter: nil)
            }
            return Store(
                documents: recovery.documents,
                trees: recovery.trees,
                commitClock: commitClock,
                clock: clock,
                log: log,
                configuration: configuration,
                indexRegistry: IndexRegistry(configuration: configuration, clock: clock, onRequest: onIndexRequested),
                receiptKeeper: receiptKeeper,
                creationTime: creationTime,
                checkpointTime: recovery.snapshotTime,
                life: entropy.next()
            )
        } catch {
            throw StoreError(.unrecoverable, cause: error)
        }
    }

    /// Starts the log's threads. A simulation calls `step` and `prepareStep` itself instead.
    package func start() { self.log.start() }

    /// Makes everything durable that was appended, and ends the log's threads.
    package func stop() { self.log.stop() }

    /// Makes one group of commits durable; whether there was one.
    package func step() -> Bool { self.log.step() }

    /// Prepares files that the log will need; whether there was something to do.
    package func prepareStep() -> Bool { self.log.prepareStep() }

    /// Whether commits are refused, some or all, until the disk has room again.
    package var isDiskFull: Bool { self.log.isDiskFull }

    /// To be called every second or so: commits are accepted again when a full disk has room.
    package func retryFullDisk() { self.log.retryFullDisk() }

    /// The database of that name. Every name is one; it takes memory only while it has documents or somebody holds it.
    package func database(_ name: DatabaseName) -> DatabaseHandle { self.documents.registry.handle(name) }

    /// Those that have documents or that somebody holds, in the order of their names.
    package var databases: [DatabaseHandle] { self.documents.registry.all }
}
