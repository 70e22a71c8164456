import BrasaBytes
package import BrasaDocuments
import BrasaMessages
package import BrasaPlatform
package import BrasaStore
import Synchronization

/// The Write streams of all event loops, those that are open and, for a while, those that are over: a client whose connection
/// broke may take its stream up again. When that takes too many places or bytes, the oldest half is forgotten.
package final class WriteStreamTable: Sendable {
    struct Bounds: Sendable {
        /// Streams that are over, and what they may take.
        var count = 16_384
        var bytes = 64 << 20
        /// A stream that is over is kept for as long as this at least, and twice as long at most.
        var keptFor: Duration = .seconds(600)
        var record = WriteStreamRecord.Bounds()
    }

    /// Streams that were over at about the same time.
    private struct Generation {
        var records: [UTF8Text: (record: WriteStreamRecord, bytes: Int)] = [:]
        var bytes = 0

        /// Whether another one would make it more than its half of all.
        func isFull(for bytes: Int, _ bounds: Bounds) -> Bool {
            self.records.count >= bounds.count / 2 || self.bytes + bytes > bounds.bytes / 2
        }

        mutating func insert(_ record: WriteStreamRecord, bytes: Int) {
            self.records[record.id] = (record, bytes)
            self.bytes += bytes
        }

        mutating func remove(_ id: UTF8Text) {
            guard let (_, bytes) = self.records.removeValue(forKey: id) else { return }
            self.bytes -= bytes
        }

        mutating func measure(_ record: WriteStreamRecord) {
            guard self.records[record.id] != nil else { return }
            self.remove(record.id)
            self.insert(record, bytes: record.bytes)
        }
    }

    private struct State {
        var open: [UTF8Text: WriteStreamRecord] = [:]
        var recent = Generation()
        var older = Generation()
        /// When the recent ones began.
        var turned: MonotonicTime

        subscript(id: UTF8Text) -> WriteStreamRecord? {
            self.open[id] ?? self.recent.records[id]?.record ?? self.older.records[id]?.record
        }

        mutating func remove(_ id: UTF8Text) {
            self.open[id] = nil
            self.recent.remove(id)
            self.older.remove(id)
        }

        mutating func turn(_ now: MonotonicTime) {
            self.older = self.recent
            self.recent = Generation()
            self.turned = now
        }

        mutating func forget(_ now: MonotonicTime, _ bounds: Bounds) {
            guard now - self.turned >= bounds.keptFor else { return }
            if now - self.turned >= bounds.keptFor * 2 { self.turn(now) }
            self.turn(now)
        }
    }

    let archive: AnswerArchive
    private let clock: Clock
    private let entropy: Entropy
    private let bounds: Bounds
    private let state: Mutex<State>

    private static let idBytes = 16

    package convenience init(clock: Clock, entropy: Entropy, archive: AnswerArchive) {
        self.init(clock: clock, entropy: entropy, archive: archive, bounds: Bounds())
    }

    init(clock: Clock, entropy: Entropy, archive: AnswerArchive, bounds: Bounds) {
        self.archive = archive
        self.clock = clock
        self.entropy = entropy
        self.bounds = bounds
        self.state = Mutex(State(turned: clock.monotonic()))
    }

    /// A new stream, under an id that nobody can guess, owned by its first owner.
    func open(in database: DatabaseName, fence: @escaping @Sendable () -> Void) -> WriteStreamRecord {
        let id = Base64.encode(self.entropy.bytes(Self.idBytes), .url, isPadded: false)
        let record = WriteStreamRecord(
            id: UTF8Text(WriteStreamID.resumablePrefix + String(decoding: id, as: UTF8.self)),
            database: database,
            bounds: self.bounds.record,
            fence: fence
        )
        self.state.withLock { $0.open[record.id] = record }
        return record
    }

    /// Goes on with a stream of this database.
    func takeOver(
        _ id: UTF8Text,
        in database: DatabaseName,
        after position: WriteStreamRecord.Position,
        fence: @escaping @Sendable () -> Void
    ) throws(WriteStreamRecord.Refusal) -> (record: WriteStreamRecord, owner: WriteStreamRecord.Owner) {
        let now = self.clock.monotonic()
        return try self.state.withLock { state throws(WriteStreamRecord.Refusal) in
            state.forget(now, self.bounds)
            guard let record = state[id], record.database == database else { throw .unknown }
            let owner = try record.takeOver(after: position, fence: fence)
            state.remove(id)
            state.open[id] = record
            return (record, owner)
        }
    }

    /// The owner is gone and has no batch with the engine.
    func close(_ record: WriteStreamRecord, by owner: WriteStreamRecord.Owner) {
        let now = self.clock.monotonic()
        self.state.withLock { state in
            guard record.isOwned(by: owner), state.open.removeValue(forKey: record.id) != nil else { return }
            state.forget(now, self.bounds)
            let bytes = record.bytes
            if state.recent.isFull(for: bytes, self.bounds) { state.turn(now) }
            state.recent.insert(record, bytes: bytes)
        }
    }

    /// A batch was settled after its connection had lost the stream, which may be over by now.
    func settledLate(_ record: WriteStreamRecord) {
        self.state.withLock { state in
            state.recent.measure(record)
            state.older.measure(record)
        }
    }
}

/// Streams outlive the server: a client takes them up again after a restart as after a broken connection.
extension WriteStreamTable: ReceiptKeeper {
    /// Those that wrote last are kept, as many as may be over at a time.
    package func recovered(_ receipts: [CommitReceipt]) {
        var streams: [UTF8Text: [CommitReceipt]] = [:]
        for receipt in receipts { streams[receipt.stream, default: []].append(receipt) }
        let newestFirst = streams.values.sorted {
            ($0.last?.time.microseconds ?? 0) > ($1.last?.time.microseconds ?? 0)
        }
        let records = newestFirst.compactMap { WriteStreamRecord(recovering: $0, bounds: self.bounds.record) }
        self.state.withLock { state in
            for record in records {
                let bytes = record.bytes
                if !state.recent.isFull(for: bytes, self.bounds) {
                    state.recent.insert(record, bytes: bytes)
                } else if !state.older.isFull(for: bytes, self.bounds) {
                    state.older.insert(record, bytes: bytes)
                } else {
                    return
                }
            }
        }
    }

    package func receipts(through time: Timestamp) -> [CommitReceipt] {
        let now = self.clock.monotonic()
        let records = self.state.withLock { state in
            state.forget(now, self.bounds)
            // A start that finds too many keeps the last ones.
            return [state.older, state.recent].flatMap { $0.records.values.map(\.record) } + state.open.values
        }
        return records.flatMap { $0.receipts(through: time) }
    }
}
