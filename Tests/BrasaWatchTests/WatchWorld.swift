import BrasaDocuments
import BrasaLog
import BrasaPlatform
import BrasaQueries
import BrasaQueryModel
import BrasaSimulation
import BrasaStore

@testable import BrasaWatch

/// A store on a simulated disk with watchers on simulated loops, and beside it what was committed, kept as plainly as
/// can be.
final class WatchWorld {
    struct Written {
        var document: ModelDocument
        var createTime: Timestamp
        var updateTime: Timestamp
    }

    /// The state after one commit.
    struct State {
        var time: Timestamp
        var documents: [ResourcePath: Written]
    }

    let disk: SimulatedDisk
    let clock = SimulatedClock()
    let scheduler: SimulatedScheduler
    let configuration: Store.Configuration
    let watchConfiguration: WatchConfiguration
    private(set) var store: Store
    /// One for each loop; most tests have one.
    private(set) var watchers: [Watcher]
    private(set) var states: [State]
    private var seed: UInt64
    private let waker: Waker

    /// The log's callback reaches the watcher, which is made after it.
    private final class Waker: @unchecked Sendable {
        // Sendable, because one thread runs the test.
        var watchers: [Watcher] = []
    }

    init(
        seed: UInt64 = 1,
        loops: Int = 1,
        watch: WatchConfiguration = WatchConfiguration(),
        _ adjust: (inout Store.Configuration) -> Void = { _ in }
    ) throws {
        self.seed = seed
        self.disk = SimulatedDisk(seed: seed)
        self.scheduler = SimulatedScheduler(seed: seed)
        var configuration = Store.Configuration(
            log: LogConfiguration(segmentBytes: 64 << 10, firstSegmentBytes: 64 << 10),
            shards: 2
        )
        adjust(&configuration)
        self.configuration = configuration
        self.watchConfiguration = watch
        self.waker = Waker()
        self.store = try Self.open(configuration, self.disk, self.clock, seed, self.waker)
        self.watchers = []
        for _ in 0..<loops { self.watchers.append(Self.watcher(self.store, self.scheduler, self.clock, watch)) }
        self.waker.watchers = self.watchers
        self.states = [State(time: self.store.watermark, documents: [:])]
    }

    private static func open(
        _ configuration: Store.Configuration,
        _ disk: SimulatedDisk,
        _ clock: SimulatedClock,
        _ seed: UInt64,
        _ waker: Waker
    ) throws -> Store {
        try Store.open(
            configuration: configuration,
            disk: disk,
            directory: "data",
            clock: clock.clock,
            entropy: .seeded(seed),
            onDurable: { _ in for watcher in waker.watchers { watcher.wake() } }
        )
    }

    private static func watcher(
        _ store: Store,
        _ scheduler: SimulatedScheduler,
        _ clock: SimulatedClock,
        _ configuration: WatchConfiguration
    ) -> Watcher {
        Watcher(store: store, mailbox: scheduler.mailbox(), clock: clock.clock, configuration: configuration)
    }

    var watcher: Watcher { self.watchers[0] }
    var database: DatabaseHandle { self.store.database(Self.databaseName) }

    static let databaseName: DatabaseName = {
        guard let name = try? DatabaseName(project: "p", database: "(default)") else { preconditionFailure() }
        return name
    }()

    // MARK: Committing

    /// Commits what differs from the newest state, and does not wait until it is durable.
    @discardableResult
    func commit(_ writes: [(ResourcePath, [Value.MapEntry]?)]) throws -> Timestamp? {
        var documents = self.states[self.states.count - 1].documents
        var changes: [DocumentChange] = []
        var changed: [ResourcePath: [Value.MapEntry]?] = [:]
        for (path, entries) in writes where changed[path] == nil {
            let fields = entries.map { EncodedFields(encoding: $0) }
            if documents[path].map(\.document.fields) == fields { continue }
            let outcome: DocumentChange.Outcome =
                fields.map { .set($0, createTime: documents[path]?.createTime) } ?? .delete
            changes.append(DocumentChange(database: self.database, path: path, outcome: outcome))
            changed[path] = .some(entries)
        }
        guard !changes.isEmpty else { return nil }
        self.clock.advance(microseconds: 10)
        let time = try self.store.apply(changes: changes, waiter: nil)
        for (path, entries) in changed {
            documents[path] = entries.map { entries in
                Written(
                    document: ModelDocument(path: path, entries: entries),
                    createTime: documents[path]?.createTime ?? time,
                    updateTime: time
                )
            }
        }
        self.states.append(State(time: time, documents: documents))
        return time
    }

    @discardableResult
    func commit(_ path: String, _ value: Int64?) throws -> Timestamp? {
        try self.commit([(path, value)])
    }

    /// Documents with one field, `n`; nil deletes.
    @discardableResult
    func commit(_ writes: [(String, Int64?)]) throws -> Timestamp? {
        try self.commit(
            writes.map { name, value in
                let entries = value.map { [Value.MapEntry(key: "n", value: .integer($0))] }
                return (try ResourcePath(parsing: name.utf8), entries)
            }
        )
    }

    /// The last state at or before a time.
    func state(at time: Timestamp) -> State {
        var (low, high) = (0, self.states.count)
        while low < high {
            let middle = (low + high) / 2
            if self.states[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return self.states[max(low - 1, 0)]
    }

    // MARK: Moving on

    /// Makes everything durable and runs the loop until nothing moves.
    func settle() {
        while self.store.step() || self.store.prepareStep() || self.scheduler.runOne() {}
    }

    /// Ends the process and starts again from the disk: streams are gone, and what was not durable may be. Returns the
    /// time of the first commit that is.
    @discardableResult
    func restart(losingPower: Bool = false) throws -> Timestamp? {
        let created = self.store.creationTime
        if losingPower { self.disk.crash() } else { self.disk.killProcess() }
        self.scheduler.discardAll()
        self.seed += 1
        self.waker.watchers = []
        self.store = try Self.open(self.configuration, self.disk, self.clock, self.seed, self.waker)
        self.watchers = self.watchers.map { _ in
            Self.watcher(self.store, self.scheduler, self.clock, self.watchConfiguration)
        }
        self.waker.watchers = self.watchers
        if self.store.creationTime != created {
            // Not even the store's beginning was durable: it is another one.
            defer { self.states = [State(time: self.store.watermark, documents: [:])] }
            return self.states.dropFirst().first?.time
        }
        let recovered = self.store.watermark
        let lost = self.states.first { $0.time > recovered }
        self.states.removeAll { $0.time > recovered }
        return lost?.time
    }

    func open(_ sink: any WatchSink, loop: Int = 0) -> WatchStream {
        self.watchers[loop].open(self.database, sink: sink)
    }
}
