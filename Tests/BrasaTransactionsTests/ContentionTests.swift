import BrasaDocuments
import BrasaPlatform
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import Synchronization
import Testing

/// Clients that each read documents and then write them, over and over, on a network and a disk with delays.
@Suite("Contention")
struct ContentionTests {
    @Test("eight clients on one document finish nearly as fast as one alone, with few attempts", arguments: 1...20)
    func oneDocument(seed: UInt64) throws {
        let alone = try Race(seed: seed, clients: 1, transactionsEach: 100, documents: 1, reads: 1).run()
        let together = try Race(seed: seed, clients: 8, transactionsEach: 25, documents: 1, reads: 1).run()
        #expect(together.total == 200)
        let rate = Double(together.total) / Double(together.time)
        let rateAlone = Double(alone.total) / Double(alone.time)
        #expect(rate >= 0.8 * rateAlone)
        #expect(together.attemptsMax <= 5)
        #expect(together.attempts <= 220)
    }

    @Test("transfers between a few documents, read in any order, all succeed in time", arguments: 1...20)
    func transfers(seed: UInt64) throws {
        let result = try Race(seed: seed, clients: 8, transactionsEach: 25, documents: 4, reads: 2).run()
        #expect(result.total == 2 * 200)
        #expect(result.attemptsMax <= 6)
    }

    @Test("documents cool down: readers share them again", arguments: [1, 2])
    func coolsDown(seed: UInt64) throws {
        let race = try Race(seed: seed, clients: 8, transactionsEach: 10, documents: 1, reads: 1)
        _ = try race.run()
        let bench = race.bench
        let one = try bench.begin()
        let other = try bench.begin()
        #expect(bench.read(one, "c/0").isSuccess)
        let read = bench.read(other, "c/0")
        bench.settle()
        #expect(!read.isThere)
        #expect(bench.rollback(one) == nil)
        bench.settle()
        #expect(read.isSuccess)
        #expect(bench.rollback(other) == nil)
        bench.pass(seconds: 11)
        let readers = try (0..<3).map { _ in try bench.begin() }
        #expect(readers.map { bench.read($0, "c/0") }.allSatisfy { $0.isSuccess })
    }
}

/// A discrete simulation: a message takes 5 to 15 units of time each way, a sync 10.
private final class Race: @unchecked Sendable {
    // Sendable, because one thread runs it.

    struct Outcome {
        var total: Int64
        var time: Int
        var attempts: Int
        var attemptsMax: Int
    }

    let bench: Bench
    private var random: SeededRandom
    private var time = 0
    private var order = 0
    private var events: [(time: Int, order: Int, run: () throws -> Void)] = []
    private let clients: Int
    private let transactionsEach: Int
    private let documents: Int
    private let reads: Int
    private var unfinished: Int
    private var outcome = Outcome(total: 0, time: 0, attempts: 0, attemptsMax: 0)

    init(seed: UInt64, clients: Int, transactionsEach: Int, documents: Int, reads: Int) throws {
        self.bench = try Bench()
        self.random = SeededRandom(seed: seed)
        self.clients = clients
        self.transactionsEach = transactionsEach
        self.documents = documents
        self.reads = reads
        self.unfinished = clients
    }

    func run() throws -> Outcome {
        for _ in 0..<self.clients { try self.begin(left: self.transactionsEach) }
        self.sync()
        while self.unfinished > 0 {
            let next = try #require(self.events.indices.min { self.key($0) < self.key($1) })
            let event = self.events.remove(at: next)
            self.time = event.time
            try event.run()
            while self.bench.server.scheduler.runOne() {}
        }
        self.outcome.time = self.time
        for index in 0..<self.documents { self.outcome.total += try self.bench.stored("c/\(index)") ?? 0 }
        return self.outcome
    }

    private func key(_ index: Int) -> (Int, Int) { (self.events[index].time, self.events[index].order) }

    private func after(_ delay: Int, _ run: @escaping () throws -> Void) {
        self.order += 1
        self.events.append((self.time + delay, self.order, run))
    }

    private func network(_ run: @escaping () throws -> Void) {
        self.after(Int.random(in: 5...15, using: &self.random), run)
    }

    private func sync() {
        self.after(10) {
            _ = self.bench.server.store.step()
            self.sync()
        }
    }

    private func begin(left: Int, attempt: Int = 1, paths: [Int]? = nil, retry: TransactionID? = nil) throws {
        guard left > 0 else {
            self.unfinished -= 1
            return
        }
        self.outcome.attempts += 1
        self.outcome.attemptsMax = max(self.outcome.attemptsMax, attempt)
        let paths = paths ?? Array((0..<self.documents).shuffled(using: &self.random).prefix(self.reads))
        self.network {
            let id = try self.bench.begin(.readWrite(retry: retry))
            self.read(paths[...], [], id) { numbers in
                try self.commit(id, paths, numbers) { error in
                    guard let error else { return try self.begin(left: left - 1) }
                    try #require(error.code == .aborted)
                    try self.begin(left: left, attempt: attempt + 1, paths: paths, retry: retry ?? id)
                }
            }
        }
    }

    private func read(
        _ paths: ArraySlice<Int>,
        _ numbers: [Int64],
        _ id: TransactionID,
        _ then: @escaping ([Int64]) throws -> Void
    ) {
        guard let path = paths.first else { return self.network { try then(numbers) } }
        let then = Unchecked(then)
        let reply = Reply<ReadResult>(mailbox: self.bench.mailbox) { result in
            self.network {
                let number = Bench.number(in: try result.get().documents[0]) ?? 0
                self.read(paths.dropFirst(), numbers + [number], id, then.value)
            }
        }
        self.network {
            self.bench.transactions.read(
                transaction: id,
                database: self.bench.database,
                paths: [Bench.path("c/\(path)")],
                reply: reply
            )
        }
    }

    private func commit(
        _ id: TransactionID,
        _ paths: [Int],
        _ numbers: [Int64],
        _ then: @escaping (TransactionError?) throws -> Void
    ) throws {
        let then = Unchecked(then)
        let reply = Reply<CommitResult>(mailbox: self.bench.mailbox) { result in
            self.network {
                guard case .failure(let error) = result else { return try then.value(nil) }
                try then.value(error)
            }
        }
        let writes = zip(paths, numbers).map { self.bench.set("c/\($0)", $1 + 1) }
        self.bench.transactions.commit(
            database: self.bench.database,
            transaction: id,
            writes: writes,
            reply: reply
        )
    }
}

/// Crosses a `@Sendable` closure that never leaves its thread.
private struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
