import BrasaDocuments
import BrasaLog
import BrasaPlatform
import BrasaQueries
import BrasaSimulation
import Synchronization
import Testing

@testable import BrasaStore

/// A store on a simulated disk, with a clock that the test moves.
final class StoreFixture {
    let disk: SimulatedDisk
    let clock = SimulatedClock()
    let scheduler = SimulatedScheduler(seed: 1)
    var configuration: Store.Configuration
    private(set) var store: Store
    private var seed: UInt64
    private let receiptKeeper: (any ReceiptKeeper)?

    init(
        seed: UInt64 = 1,
        receiptKeeper: (any ReceiptKeeper)? = nil,
        _ adjust: (inout Store.Configuration) -> Void = { _ in }
    ) throws {
        self.seed = seed
        self.receiptKeeper = receiptKeeper
        self.disk = SimulatedDisk(seed: seed)
        self.configuration = Store.Configuration(
            log: LogConfiguration(segmentBytes: 64 << 10, firstSegmentBytes: 64 << 10)
        )
        adjust(&self.configuration)
        self.store = try Self.open(self.configuration, self.disk, self.clock, seed, receiptKeeper)
    }

    private static func open(
        _ configuration: Store.Configuration,
        _ disk: SimulatedDisk,
        _ clock: SimulatedClock,
        _ seed: UInt64,
        _ receiptKeeper: (any ReceiptKeeper)?
    ) throws -> Store {
        try Store.open(
            configuration: configuration,
            disk: disk,
            directory: "data",
            clock: clock.clock,
            entropy: .seeded(seed),
            receiptKeeper: receiptKeeper
        )
    }

    /// Starts again from what the disk holds, with other hash keys.
    func restart(kill: Bool = false, losingPower: Bool = false) throws {
        if losingPower {
            self.disk.crash()
        } else if kill {
            self.disk.killProcess()
        } else {
            self.store.stop()
        }
        self.seed += 1
        self.store = try Self.open(self.configuration, self.disk, self.clock, self.seed, self.receiptKeeper)
    }

    func wait(_ duration: Duration) { self.clock.advance(microseconds: Int64(duration.microseconds)) }

    func flush() {
        while self.store.step() || self.store.prepareStep() {}
        self.scheduler.runAll()
    }

    /// Commits at a later clock and makes it durable.
    @discardableResult
    func commit(_ database: DatabaseHandle, _ writes: [(String, String?)]) throws -> Timestamp {
        let changes = try writes.map { name, text in
            DocumentChange(
                database: database,
                path: try path(name),
                outcome: text.map { .set(fields($0), createTime: nil) } ?? .delete
            )
        }
        return try self.commit(changes)
    }

    @discardableResult
    func commit(_ changes: [DocumentChange]) throws -> Timestamp {
        self.clock.advance(microseconds: 10)
        let time = try self.store.apply(changes: changes, waiter: nil)
        self.flush()
        return time
    }
}

func path(_ text: String) throws -> ResourcePath {
    text.isEmpty ? .root : try ResourcePath(parsing: text.utf8)
}

/// The store does not look into fields.
func fields(_ text: String) -> EncodedFields { EncodedFields(canonical: ByteString(Array(text.utf8))) }

func databaseName(_ id: String = "(default)") throws -> DatabaseName {
    try DatabaseName(project: "p", database: UTF8Text(id))
}

func range(_ parent: String, _ id: String?, all: Bool = false) throws -> NameRange {
    NameRange(parent: try path(parent), collectionID: id.map { UTF8Text($0) }, allDescendants: all)
}

extension Store {
    func listCollectionIDs(
        under parent: ResourcePath,
        in database: DatabaseHandle,
        at time: Timestamp,
        after: UTF8Text? = nil,
        limit: Int
    ) throws -> [UTF8Text] {
        var scan = try self.collectionIDs(under: parent, in: database, at: time, after: after, limit: limit)
        while true {
            if let ids = try scan.step() { return ids }
        }
    }

    func partitionPoints(
        collectionID: UTF8Text,
        count: Int,
        in database: DatabaseHandle,
        at time: Timestamp
    ) throws -> [ResourcePath] {
        var search = try self.partition(collectionID: collectionID, in: database, at: time)
        while search.step() {}
        return search.points(count)
    }

    func names(
        _ range: NameRange,
        in database: DatabaseHandle,
        at time: Timestamp? = nil,
        descending: Bool = false,
        showMissing: Bool = false,
        chunk: Int = 3
    ) throws -> [String] {
        let time = time ?? self.strongReadTime()
        var scan = try self.scan(range, in: database, at: time, descending: descending, showMissing: showMissing)
        var names: [String] = []
        while true {
            let entries = try scan.next(chunk)
            names += entries.map { ($0.document == nil ? "?" : "") + $0.path.string }
            if entries.count < chunk { return names }
        }
    }

    func text(_ name: String, in database: DatabaseHandle, at time: Timestamp? = nil) throws -> String? {
        let document = try self.get(path(name), in: database, at: time ?? self.strongReadTime())
        return document.map { String(decoding: $0.fields.bytes.array, as: UTF8.self) }
    }
}

/// Set once, on any thread.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { self.value.load(ordering: .acquiring) }

    func set() {
        self.value.store(true, ordering: .releasing)
    }
}
