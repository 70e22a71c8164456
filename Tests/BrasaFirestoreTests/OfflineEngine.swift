import BrasaApp
import BrasaDocuments
import BrasaSync
import Dispatch
import Foundation
import Synchronization

@testable import BrasaFirestore

/// An engine on a queue of its own, with no server to reach and timers that never fire.
// @unchecked: `client` is touched on the queue only.
final class OfflineHost: EngineHost, @unchecked Sendable {
    private let queue = DispatchQueue(label: "OfflineHost")
    private var client: SyncClient?

    init(database: DatabaseName, collector: MemoryStorage.Collector) {
        self.queue.async {
            self.client = SyncClient(
                database: database,
                configuration: SyncConfiguration(),
                storage: MemoryStorage(collector: collector),
                scheduler: QueueScheduler(self.queue),
                transport: NoTransport()
            )
        }
    }

    func run(_ work: @escaping @Sendable (SyncClient) -> Void) {
        self.queue.async {
            if let client = self.client { work(client) }
        }
    }

    func close() async {}
}

// @unchecked: on the queue only.
private final class QueueScheduler: SyncScheduler, @unchecked Sendable {
    private let queue: DispatchQueue
    private var lastTimer: UInt64 = 0
    private var lastTime: Int64 = 1_000_000

    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    /// Another time for every write.
    var now: BrasaDocuments.Timestamp {
        self.lastTime += 1_000_000
        return BrasaDocuments.Timestamp(microseconds: self.lastTime)
    }
    var uptime: Duration { .zero }
    func random() -> Double { 0.5 }

    func enqueue(_ work: @escaping () -> Void) {
        let work = Handed(work)
        self.queue.async { work.value() }
    }

    func schedule(_ timer: SyncTimer, after delay: Duration, _ work: @escaping () -> Void) -> SyncTimerID {
        self.lastTimer += 1
        return SyncTimerID(number: self.lastTimer)
    }

    func cancel(_ id: SyncTimerID) {}
}

extension Databases {
    /// Without network; handlers are called on a serial queue.
    static func offline(
        queue: DispatchQueue = DispatchQueue(label: "handlers"),
        collector: MemoryStorage.Collector = .leastRecentlyUsed,
        calls: any DatastoreCalls = FakeDatastore()
    ) async throws -> Firestore {
        var values = FirestoreSettings.Values()
        values.dispatchQueue = queue
        let database = Firestore(app: .unconfigured(projectID: "demo-test"), databaseID: "(default)", values: values) {
            options in
            ClientCore(
                queue: options.settings.dispatchQueue ?? .main,
                host: OfflineHost(database: options.database, collector: collector),
                calls: calls
            )
        }
        // The engine alone: the other calls have their own fake server.
        try database.core().run { client in client.disableNetwork {} }
        return database
    }
}

extension Firestore {
    /// Runs transactions as the client does, but with an hour between two attempts, and tells when one has begun.
    func runnerThatWaits() throws -> (waits: AsyncStream<Void>, TransactionRunner) {
        let core = try self.core()
        let (waits, continuation) = AsyncStream<Void>.makeStream()
        let clock = TransactionClock(sleep: { _ throws(SyncError) in
            continuation.yield()
            try await core.gate.sleep(.seconds(3600))
        })
        return (waits, TransactionRunner(firestore: self, calls: core.calls, attemptsMax: 5, clock: clock))
    }
}

/// Writes that nobody waits for. In asynchronous code the plain names mean the forms that wait.
extension DocumentReference {
    func queueSet(_ data: [String: Any]) { self.setData(data) }
    func queueUpdate(_ fields: [AnyHashable: Any]) { self.updateData(fields) }
    func queueDelete() { self.delete() }
}

extension WriteBatch {
    func queueCommit() { self.commit() }
}

/// A loop over a sequence, one element at a time, for use in expectations.
final class Loop<Sequence: AsyncSequence> {
    private var iterator: Sequence.AsyncIterator

    init(_ sequence: Sequence) {
        self.iterator = sequence.makeAsyncIterator()
    }

    func next() async throws -> Sequence.Element? {
        try await self.iterator.next()
    }
}
