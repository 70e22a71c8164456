import BrasaLog
import BrasaPlatform
import BrasaSimulation
import Synchronization

struct TestRecord: Hashable, Sendable {
    var time: Int64
    var payload: [UInt8]
}

/// What observers and waiters reported.
final class Journal: Sendable {
    private struct State {
        var durableTime = Int64.min
        var acknowledged: [Int64] = []
        var refused: [(time: Int64, code: LogError.Code)] = []
        var failures: [LogError.Code] = []
        var isDiskFull: [Bool] = []
    }

    private let state = Mutex(State())

    var durableTime: Int64 { self.state.withLock { $0.durableTime } }
    var acknowledged: [Int64] { self.state.withLock { $0.acknowledged } }
    var refused: [LogError.Code] { self.state.withLock { $0.refused.map(\.code) } }
    var failures: [LogError.Code] { self.state.withLock { $0.failures } }

    /// What was said about the disk's room, in order.
    var isDiskFull: [Bool] { self.state.withLock { $0.isDiskFull } }

    var observer: LogObserver {
        LogObserver(
            onDurable: { time in self.state.withLock { $0.durableTime = time } },
            onFailure: { error in self.state.withLock { $0.failures.append(error.code) } },
            onDiskFull: { error in self.state.withLock { $0.isDiskFull.append(error != nil) } }
        )
    }

    func waiter(_ time: Int64, on mailbox: any Mailbox) -> LogWaiter {
        LogWaiter(mailbox: mailbox) { result in
            self.state.withLock { state in
                switch result {
                case .success: state.acknowledged.append(time)
                case .failure(let error): state.refused.append((time, error.code))
                }
            }
        }
    }
}

/// Work posted to this mailbox runs at once, in the poster's thread.
final class ImmediateMailbox: Mailbox {
    func post(_ work: @escaping @Sendable () -> Void) { work() }
}

/// What a recovery handed out.
struct Recovered: Equatable {
    var chunks: [[UInt8]] = []
    var records: [TestRecord] = []

    mutating func take(_ entry: LogEntry) {
        switch entry {
        case .checkpointChunk(let bytes): self.chunks.append(Array(bytes))
        case .checkpointVoid: self = Recovered()
        case .record(let time, let bytes): self.records.append(TestRecord(time: time, payload: Array(bytes)))
        }
    }
}

let testDirectory = "/data"

extension LogConfiguration {
    /// Small enough that a few records fill segments and groups.
    static func small(_ durability: Durability = .fsync) -> LogConfiguration {
        LogConfiguration(
            durability: durability,
            segmentBytes: 48 << 10,
            firstSegmentBytes: 24 << 10,
            groupBytesMax: 6 << 10,
            queuedBytesMax: 1 << 20,
            recordBytesMax: 64 << 10
        )
    }
}

func openLog(
    _ disk: any Disk,
    _ directory: String = testDirectory,
    _ configuration: LogConfiguration = .small(),
    journal: Journal = Journal(),
    seed: UInt64 = 7
) throws(LogError) -> (log: WriteAheadLog, recovered: Recovered) {
    var recovered = Recovered()
    let log = try WriteAheadLog.open(
        disk: disk,
        directory: directory,
        configuration: configuration,
        clock: .system,
        entropy: .seeded(seed),
        observer: journal.observer
    ) { recovered.take($0) }
    return (log, recovered)
}

/// Records with increasing times and payloads of every awkward length.
func randomRecords(_ count: Int, after time: Int64 = 0, _ random: inout SeededRandom) -> [TestRecord] {
    var time = time
    return (0..<count).map { _ in
        time += Int64.random(in: 1...1_000, using: &random)
        let length =
            random.chance(1, in: 20)
            ? Int.random(in: 0...20_000, using: &random) : Int.random(in: 0...300, using: &random)
        return TestRecord(time: time, payload: (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
}

extension WriteAheadLog {
    func appendAll(_ records: [TestRecord], journal: Journal, mailbox: any Mailbox) throws(LogError) {
        for record in records {
            try self.append(
                time: record.time,
                record: record.payload,
                waiter: journal.waiter(record.time, on: mailbox)
            )
        }
    }

    func stepAll() {
        while self.step() {}
    }
}

final class CountingMailbox: Mailbox {
    private let count = Mutex(0)
    var posts: Int { self.count.withLock { $0 } }

    func post(_ work: @escaping @Sendable () -> Void) {
        self.count.withLock { $0 += 1 }
        work()
    }
}
