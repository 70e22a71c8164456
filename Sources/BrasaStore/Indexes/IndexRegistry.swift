import BrasaDocuments
import BrasaPlatform
import BrasaQueries
import Synchronization

/// The indexes that queries asked for, and how much they are used. `state` is locked with no other lock held, and none is
/// taken under it. What is there is decided by two rules:
///
/// - One order. An index counts as the bytes it takes, `indexBytesMin` at least. When all count as more than
///   `indexBytesMax`, one goes that belongs to a database with more than an equal share: the least recently wanted, those that
///   fewer than three queries used before others.
/// - One back-off. A build that would have to take the room of an index that was wanted within `indexRetry`, and is more than
///   hardly used, fails, unless its database has no more than its share. It is tried again after `indexRetry`, and after twice
///   as long each time. So is whatever else has to go while it is wanted.
final class IndexRegistry: Sendable {
    struct Key: Hashable {
        let database: DatabaseHandle
        let definition: IndexDefinition
    }

    struct Record {
        enum State: Hashable {
            case building
            case ready
            /// Not to be tried before its back-off is over.
            case failed(IndexFailure)
        }

        /// Nil once it failed. Whoever else refers to it is a query that reads it, or was planned with it: references are given
        /// out under the lock, or found again by a plan (`PlanCache`, `PlannedQuery`), whose query finds out that it is gone.
        var index: Index?
        var state = State.building
        /// The order of requests.
        let number: Int
        let created: WallTime
        var backOff: IndexBackOff
        let usage: IndexUsage

        var cost: Int { self.index?.counts.cost ?? 0 }

        var isFailed: Bool {
            if case .failed = self.state { true } else { false }
        }
    }

    struct State {
        var records: [Key: Record] = [:]
        /// The one that is being built, and those that wait for it.
        var builds: [Key] = []
        /// The first of them, once the background thread has it.
        var begun: Key?
        var nextNumber = 0
        /// No longer to be used, and still in the order.
        var dropped: [Index] = []
        /// No index is idle before this, and no failure is to be forgotten.
        var nextDue: MonotonicTime?
    }

    let state = Mutex(State())
    let total: IndexTotal
    /// Another one whenever an index becomes ready, or goes.
    private let changes = Atomic<Int>(0)
    let configuration: Store.Configuration
    let clock: Clock
    private let onRequest: @Sendable () -> Void

    init(configuration: Store.Configuration, clock: Clock, onRequest: @escaping @Sendable () -> Void) {
        self.configuration = configuration
        // One index fits at least.
        self.total = IndexTotal(costMin: min(configuration.indexBytesMin, configuration.indexBytesMax))
        self.clock = clock
        self.onRequest = onRequest
    }

    /// While it is the same, the same indexes are ready.
    var generation: Int { self.changes.load(ordering: .acquiring) }

    /// Called under the lock, when it is done.
    func hasChanged() { self.changes.wrappingAdd(1, ordering: .releasing) }

    func ready(_ key: Key) -> Index? {
        self.state.withLock { state in
            guard let place = state.records.index(forKey: key), state.records.values[place].state == .ready,
                let index = state.records.values[place].index, !index.counts.isOverflowing
            else { return nil }
            return index
        }
    }

    /// A query reads these indexes.
    func markUsed(_ indexes: [Index]) {
        let (wall, now) = (self.clock.wall(), self.clock.monotonic())
        for index in indexes { index.usage.isUsed(wall, now) }
    }

    func request(_ key: Key) {
        let (wall, now) = (self.clock.wall(), self.clock.monotonic())
        let isNew = self.state.withLock { state in
            let known = state.records[key]
            guard known.map({ $0.isFailed && $0.backOff.until <= now }) ?? true else {
                known?.usage.isWanted(now)
                return false
            }
            guard state.makeWaitingRoom(for: key.database) else { return false }
            let usage = IndexUsage(wanted: now)
            state.records[key] = Record(
                index: Index(definition: key.definition, database: key.database, total: self.total, usage: usage),
                number: state.nextNumber,
                created: wall,
                backOff: known?.backOff ?? IndexBackOff(span: self.configuration.indexRetry, at: now),
                usage: usage
            )
            state.builds.append(key)
            state.nextNumber += 1
            return true
        }
        if isNew { self.onRequest() }
    }

    /// Whether the index would be there if there were room for it.
    func doesNotFit(_ key: Key) -> Bool {
        self.state.withLock { state in
            state.records[key]?.state == .failed(.memory)
        }
    }

    /// How many there are in each state.
    var counts: [IndexDescription.State: Int] {
        self.state.withLock { state in
            state.records.values.reduce(into: [:]) { $0[IndexDescription.State($1.state), default: 0] += 1 }
        }
    }

    /// In the order of requests.
    func list() -> [IndexDescription] {
        self.state.withLock { state in
            state.records.sorted { $0.value.number < $1.value.number }
                .map { key, record in IndexDescription(key, record) }
        }
    }
}

extension IndexDescription {
    fileprivate init(_ key: IndexRegistry.Key, _ record: IndexRegistry.Record) {
        self.init(
            database: key.database.name,
            definition: key.definition,
            state: State(record.state),
            entries: record.index?.counts.entries ?? 0,
            bytes: record.index?.counts.bytes ?? 0,
            uses: record.usage.uses,
            created: Timestamp(microseconds: record.created.microseconds),
            lastUsed: record.usage.lastUsed.map { Timestamp(microseconds: $0.microseconds) }
        )
    }
}

extension IndexDescription.State {
    fileprivate init(_ state: IndexRegistry.Record.State) {
        self =
            switch state {
            case .building: .building
            case .ready: .ready
            case .failed(.memory): .doesNotFit
            case .failed(.entries), .failed(.collection): .abandoned
            }
    }
}

/// Why an index is not there.
enum IndexFailure {
    /// There is no room for it.
    case memory
    /// A document has too many entries for it.
    case entries
    /// Its collection has as many indexes as it may have, all in use.
    case collection
}
