package import BrasaDocuments
import BrasaLog
package import BrasaPlatform
package import BrasaStore
package import BrasaTransactions
import Synchronization

/// The engine of one process on simulated hardware: what a crash ends and a restart begins anew from the disk.
package final class SimulatedServer: Sendable {
    package let disk: any Disk
    package let clock: SimulatedClock
    package let scheduler: SimulatedScheduler
    /// Nil: its commits are in files of the disk.
    private let sharedLog: SimulatedSharedLog?
    package let store: Store
    package let transactions: TransactionManager
    private let failed = Flag()

    package static let directory = "data"

    /// Recovers what the disk holds.
    package init(
        seed: UInt64,
        disk: any Disk,
        clock: SimulatedClock,
        store configuration: Store.Configuration = SimulatedServer.smallStore,
        transactions: TransactionConfiguration = TransactionConfiguration(),
        receiptKeeper: (any ReceiptKeeper)? = nil,
        sharedLog: SimulatedSharedLog? = nil,
        losesTreeRecords: Bool = false,
        forgetsEndings: Bool = false,
        onDurable: @escaping @Sendable (Timestamp) -> Void = { _ in }
    ) throws(StoreError) {
        self.disk = disk
        self.clock = clock
        let scheduler = SimulatedScheduler(seed: seed)
        self.scheduler = scheduler
        self.sharedLog = sharedLog
        let failed = self.failed
        self.store = try Store.open(
            configuration: configuration,
            clock: clock.clock,
            entropy: .seeded(seed),
            receiptKeeper: receiptKeeper,
            onDurable: onDurable,
            onFailure: { [failed] _ in failed.value.withLock { $0 = true } }
        ) { (observer, replayAll) throws(LogError) -> StoreLog in
            func replay(_ entry: LogEntry) throws(LogRejection) {
                // The kind of tree records, at every sixteenth microsecond.
                if losesTreeRecords, case .record(let time, let bytes) = entry, bytes.first == 3, time % 16 == 0 {
                    return
                }
                guard forgetsEndings, case .record(let time, let bytes) = entry, bytes.first == 5 else {
                    return try replayAll(entry)
                }
                // Kind and age of a session's end become the kind of a plain commit.
                let plain: [UInt8] = [3] + bytes.dropFirst().drop(while: { $0 >= 0x80 }).dropFirst()
                try plain.withUnsafeBytes { plain -> Result<Void, LogRejection> in
                    do throws(LogRejection) {
                        return .success(try replayAll(.record(time: time, plain)))
                    } catch {
                        return .failure(error)
                    }
                }.get()
            }
            guard let sharedLog else {
                let log = try WriteAheadLog.open(
                    disk: disk,
                    directory: Self.directory,
                    configuration: configuration.log,
                    clock: clock.clock,
                    entropy: .seeded(seed),
                    observer: observer,
                    replay: replay
                )
                return .files(log)
            }
            let log = try SharedCommitLog.open(
                sharedLog,
                disk: disk,
                directory: Self.directory,
                configuration: configuration.log,
                observer: observer,
                mailbox: scheduler.mailbox(),
                awaitAnswer: { if !scheduler.runOne() { _ = sharedLog.deliver() } },
                replay: replay
            )
            return .shared(log)
        }
        self.transactions = TransactionManager(
            store: self.store,
            clock: clock.clock,
            entropy: .seeded(seed &+ 1),
            configuration: transactions
        )
    }

    /// On a disk and with a clock of its own, without faults.
    package convenience init(
        seed: UInt64 = 1,
        transactions: TransactionConfiguration = TransactionConfiguration()
    ) throws(StoreError) {
        try self.init(
            seed: seed,
            disk: SimulatedDisk(seed: seed),
            clock: SimulatedClock(),
            transactions: transactions
        )
    }

    /// Small files and bounds, so that short runs reach rotation, checkpoints and pruning.
    package static var smallStore: Store.Configuration {
        var log = LogConfiguration()
        log.segmentBytes = 16 << 10
        log.firstSegmentBytes = 8 << 10
        log.groupBytesMax = 2 << 10
        log.queuedBytesMax = 32 << 10
        return Store.Configuration(
            log: log,
            shards: 2,
            historyBytesMax: 1 << 20,
            recentChangesMax: 64,
            checkpointBytesMin: 8 << 10
        )
    }

    /// A write or sync failed: nothing is acknowledged any more that was not durable before.
    package var logHasFailed: Bool { self.failed.value.withLock { $0 } }

    package func database(_ id: String = "(default)") -> DatabaseHandle {
        // A name of two ids is always well formed.
        guard let name = try? DatabaseName(project: "simulation", database: UTF8Text(id)) else {
            preconditionFailure("not a database id: \(id)")
        }
        return self.store.database(name)
    }

    /// Runs the log and all mailboxes until nothing moves. No time passes.
    package func settle() {
        while self.scheduler.runOne() || self.stepLog() || self.store.prepareStep() {}
    }

    /// One step of the log, here or where it is kept; whether there was one.
    package func stepLog() -> Bool {
        // What a step asks of a shared log is still on its way after it.
        let wasDelivered = self.sharedLog?.deliver() ?? false
        return self.store.step() || wasDelivered
    }
}

private final class Flag: Sendable {
    let value = Mutex(false)
}
