import BrasaDocuments
import BrasaPlatform
import BrasaQueries
import Synchronization

/// The indexes that queries asked for, and how much they are used. `state` is locked with no other lock held, and none is
/// taken under it.
///
/// At most `indexesMax` are there, and `collectionIndexesMax` of a collection. Past it one that nobody wanted for
/// `indexRetry` makes room, one that hardly anybody used sooner, or the request is ignored. When half as many are there,
/// an index has to be asked for twice.
final class IndexRegistry: Sendable {
    struct Key: Hashable {
        let database: DatabaseHandle
        let definition: IndexDefinition
    }

    struct Record {
        enum State: Hashable {
            case building
            case ready
            /// Not to be tried before.
            case abandoned(until: MonotonicTime, IndexAbandonment)
        }

        /// Nil once abandoned. Whoever else refers to it is a query that reads it: references are given out under the
        /// lock, or found again by a plan (`PlanCache`), whose query finds out that it is gone.
        var index: Index?
        var state = State.building
        /// The order of requests.
        let number: Int
        let created: WallTime
        /// How often it was given up.
        var failures = 0
        let usage: IndexUsage
    }

    struct State {
        var records: [Key: Record] = [:]
        var nextNumber = 0
        /// No longer in `records`, and still in the order.
        var dropped: [Index] = []
        var wishes = IndexWishes()
    }

    let state = Mutex(State())
    let total = IndexTotal()
    /// Another one whenever an index becomes ready, or goes.
    private let changes = Atomic<Int>(0)
    let configuration: Store.Configuration
    let clock: Clock
    private let onRequest: @Sendable () -> Void

    init(configuration: Store.Configuration, clock: Clock, onRequest: @escaping @Sendable () -> Void) {
        self.configuration = configuration
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
            var failures = 0
            if let place = state.records.index(forKey: key) {
                guard case .abandoned(let until, _) = state.records.values[place].state, until <= now else {
                    state.records.values[place].usage.isWanted(now)
                    return false
                }
                failures = state.records.values[place].failures
            } else if !self.hasPlace(for: key, &state, now: now) {
                return false
            }
            let usage = IndexUsage(wanted: now)
            state.records[key] = Record(
                index: Index(definition: key.definition, database: key.database, total: self.total, usage: usage),
                number: state.nextNumber,
                created: wall,
                failures: failures,
                usage: usage
            )
            state.nextNumber += 1
            return true
        }
        if isNew { self.onRequest() }
    }

    /// The index is complete. It is ready unless room has to be made for it first.
    func isBuilt(_ index: Index) {
        let key = Key(database: index.database, definition: index.definition)
        self.state.withLock { state in
            guard let place = state.records.index(forKey: key), state.records.values[place].index === index,
                state.bytes <= self.configuration.indexBytesMax
            else { return }
            state.records.values[place].state = .ready
            self.hasChanged()
        }
    }

    /// Whether the index would be there if there were room for it.
    func doesNotFit(_ key: Key) -> Bool {
        self.state.withLock { state in
            guard let place = state.records.index(forKey: key),
                case .abandoned(_, .memory) = state.records.values[place].state
            else { return false }
            return true
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

extension IndexRegistry.State {
    /// What all indexes take.
    var bytes: Int { self.records.values.reduce(0) { $0 + ($1.index?.counts.bytes ?? 0) } }

    /// The index is to be taken out of the order, and forgotten.
    mutating func remove(_ key: IndexRegistry.Key) {
        guard let index = self.records.removeValue(forKey: key)?.index else { return }
        self.dropped.append(index)
    }

    /// The index is to be taken out of the order, and not to be built before a time.
    mutating func abandon(_ key: IndexRegistry.Key, until time: MonotonicTime, _ reason: IndexAbandonment) {
        guard let index = self.records[key]?.index else { return }
        self.records[key]?.index = nil
        self.records[key]?.failures += 1
        self.records[key]?.state = .abandoned(until: time, reason)
        self.dropped.append(index)
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
            case .abandoned(_, .memory): .doesNotFit
            case .abandoned(_, .entries): .abandoned
            }
    }
}

/// Why an index was given up.
enum IndexAbandonment {
    case memory
    /// A document has too many of them.
    case entries
}
