import BrasaDocuments
import BrasaLog
import BrasaPlatform
import BrasaQueries
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaTransactions

@Suite("Bounds of the transaction room")
struct BoundTests {
    @Test func `What the server has no memory for is refused with the bound, and the transaction may delete instead`()
        throws
    {
        var store = SimulatedServer.smallStore
        store.memoryBytesMax = 20_000
        let bench = try Bench(store: store)
        let reader = try bench.holding("c/mine")
        var refusal: TransactionError?
        for number in 0..<1_000 where refusal == nil {
            refusal = bench.commit(nil, bench.set("c/a\(number)", 1)).error
            bench.settle()
        }
        #expect(refusal == .memoryFull(bytesMax: 20_000) && refusal?.code == .resourceExhausted)
        #expect(refusal?.message.contains("20000 bytes (--max-memory)") == true)
        #expect(bench.commit(reader, bench.set("c/mine", 1)).error == .memoryFull(bytesMax: 20_000))
        let commit = bench.commit(reader, bench.delete("c/a0"))
        bench.settle()
        #expect(commit.isSuccess && bench.server.store.latest(Bench.path("c/a0"), in: bench.database) == nil)
    }

    @Test("open transactions")
    func openTransactions() throws {
        var configuration = TransactionConfiguration()
        configuration.openTransactionsMax = 3
        let bench = try Bench(configuration: configuration)
        let ids = try (0..<3).map { _ in try bench.begin() }
        #expect(throws: TransactionError.exhausted(.openTransactions)) { try bench.begin() }
        #expect(bench.rollback(ids[0]) == nil)
        _ = try bench.begin()
    }

    @Test("locked documents")
    func lockedDocuments() throws {
        var configuration = TransactionConfiguration()
        configuration.lockedDocumentsMax = 2
        let bench = try Bench(configuration: configuration)
        let id = try bench.holding("c/a", "c/b")
        #expect(bench.read(id, "c/c").error == .exhausted(.lockedDocuments))
        #expect(bench.read(id, "c/a").isSuccess)
        let commit = bench.commit(id, bench.set("c/a", 1))
        bench.settle()
        #expect(commit.isSuccess)
    }

    @Test("locked documents are counted for each transaction that has read them, optimistic ones too")
    func holds() throws {
        for concurrency in [TransactionMode.Concurrency.pessimistic, .optimistic] {
            var configuration = TransactionConfiguration()
            configuration.lockedDocumentsMax = 3
            let bench = try Bench(configuration: configuration)
            let ids = try (0..<3).map { _ in try bench.begin(.readWrite(concurrency: concurrency)) }
            for id in ids { #expect(bench.read(id, "c/a").isSuccess) }
            #expect(bench.read(ids[0], "c/b").error == .exhausted(.lockedDocuments))
            #expect(bench.rollback(ids[1]) == nil)
            #expect(bench.read(ids[0], "c/b").isSuccess)
        }
    }

    @Test("queries of optimistic transactions")
    func observedRanges() throws {
        var configuration = TransactionConfiguration()
        configuration.observedRangesMax = 1
        let bench = try Bench(configuration: configuration)
        let ids = try (0..<2).map { _ in try bench.begin(.readWrite(concurrency: .optimistic)) }
        #expect(bench.scan(ids[0], Bench.collection("c")).isSuccess)
        #expect(bench.scan(ids[1], Bench.collection("c")).error == .exhausted(.lockedRanges))
        #expect(bench.commit(ids[0]).isSuccess)
        #expect(bench.scan(ids[1], Bench.collection("c")).isSuccess)
    }

    @Test("queries of one optimistic transaction")
    func observedRangesOfOne() throws {
        var configuration = TransactionConfiguration()
        configuration.observedRangesPerTransactionMax = 2
        let bench = try Bench(configuration: configuration)
        let ids = try (0..<2).map { _ in try bench.begin(.readWrite(concurrency: .optimistic)) }
        for id in ids {
            for _ in 0..<2 { #expect(bench.scan(id, Bench.collection("c")).isSuccess) }
            #expect(bench.scan(id, Bench.collection("c")).error == .exhausted(.lockedRanges))
        }
    }

    @Test("how often a commit holds a changed document against an optimistic transaction's queries that may find it")
    func observedChecks() throws {
        for (checksMax, error) in [(4, nil), (3, TransactionError.contention)] {
            var configuration = TransactionConfiguration()
            configuration.observedChecksMax = checksMax
            let bench = try Bench(configuration: configuration)
            let id = try bench.begin(.readWrite(concurrency: .optimistic))
            var range = Bench.collection("c")
            range.upper = NameBound(path: Bench.path("c/m"), isInclusive: true)
            let others = (0..<9).map { Bench.collection("d\($0)") }
            for range in [range, range] + others { #expect(bench.scan(id, range).isSuccess) }
            for number in 0..<9 {
                // Two documents, each with two queries that may find it: four checks, however often they change.
                _ = bench.commit(nil, bench.set("c/x", Int64(number)), bench.set("c/y", Int64(number)))
                _ = bench.commit(nil, bench.set("e/\(number)", 1), bench.set("c/a/c/deep", Int64(number)))
            }
            bench.settle()
            let commit = bench.commit(id, bench.set("e/a", 1))
            bench.settle()
            #expect(commit.error == error)
        }
    }

    @Test("writes of a commit and of a batch", arguments: [3, 4])
    func writes(count: Int) throws {
        var configuration = TransactionConfiguration()
        configuration.commitWritesMax = 3
        configuration.batchWritesMax = 3
        let bench = try Bench(configuration: configuration)
        let refusal: TransactionError? = count > 3 ? .tooManyWrites(allowed: 3) : nil
        let writes = (0..<count).map { bench.set("c/\($0)", 1) }
        let id = try bench.begin()
        let answers = [nil, id].map { transaction in
            let answer = Answer<CommitResult>()
            let (database, reply) = (bench.database, answer.reply(on: bench.mailbox))
            bench.transactions.commit(database: database, transaction: transaction, writes: writes, reply: reply)
            return answer
        }
        let batch = Answer<[Result<WriteResult, TransactionError>]>()
        bench.transactions.batchWrite(
            database: bench.database,
            writes: writes.map { .success($0) },
            reply: batch.reply(on: bench.mailbox)
        )
        bench.settle()
        #expect(answers.map(\.error) == [refusal, refusal] && batch.error == refusal)
        #expect(refusal == nil || refusal?.message == "maximum 3 writes allowed per request")
        #expect(bench.commit(id, bench.set("c/0", 1)).error == (count > 3 ? .expiredAfterFailure : .expired))
    }

    /// Increments on documents of 100 KB, and elements added to arrays of 5,000 numbers.
    @Test(
        "what a commit evaluates to is counted write by write, and refused as soon as it is too much",
        arguments: Load.allCases
    )
    func evaluation(load: Load) throws {
        let bench = try Bench()
        let paths = (0..<20).map { "c/\($0)" }
        for path in paths {
            let large = Write(name: bench.name(path), operation: .set(load.fields))
            #expect(bench.commit(nil, large).error == nil)
            bench.settle()
        }
        let writes = try paths.map { path in
            let field = try FieldPath(parsing: Array("n".utf8))
            let transform = FieldTransform(path: field, operation: load.transform)
            return Write(name: bench.name(path), operation: .merge(.empty, mask: []), transforms: [transform])
        }
        let each = load.fields.bytes.count
        for budget in [
            EvaluationBudget(workBytes: 4 * load.workBytes, changeBytes: .max),
            EvaluationBudget(workBytes: .max, changeBytes: 4 * (each + 16)),
        ] {
            var left = budget
            let time = bench.server.store.passingTime()
            #expect(throws: TransactionError.commitTooLarge) {
                _ = try CommitEvaluation(writes, in: bench.database, of: bench.server.store, at: time, within: &left)
            }
            // One too many was looked at, and no more.
            #expect(left.workBytes > -2 * load.workBytes && left.changeBytes > -2 * each)
            left = budget
            _ = try CommitEvaluation(
                Array(writes.prefix(3)),
                in: bench.database,
                of: bench.server.store,
                at: time,
                within: &left
            )
        }
        var configuration = TransactionConfiguration()
        configuration.evaluatedBytesMax = 4 * load.workBytes
        let manager = TransactionManager(
            store: bench.server.store,
            clock: bench.server.clock.clock,
            entropy: .seeded(3),
            configuration: configuration
        )
        let answer = Answer<CommitResult>()
        manager.commit(
            database: bench.database,
            transaction: nil,
            writes: writes,
            reply: answer.reply(on: bench.mailbox)
        )
        bench.settle()
        #expect(answer.error == .commitTooLarge)
    }

    enum Load: CaseIterable {
        case increments, arrays

        var fields: EncodedFields {
            switch self {
            case .increments:
                EncodedFields(encoding: [Value.MapEntry(key: "b", value: .bytes([UInt8](repeating: 1, count: 100_000)))]
                )
            case .arrays:
                EncodedFields(encoding: [Value.MapEntry(key: "n", value: .array((0..<5_000).map { .integer($0) }))])
            }
        }

        var transform: FieldTransform.Operation {
            switch self {
            case .increments: .increment(.integer(1))
            case .arrays: .appendMissingElements([.integer(-1)])
            }
        }

        /// What one such write takes, about.
        var workBytes: Int {
            switch self {
            case .increments: 101_000
            case .arrays: 5_000 * 140
            }
        }
    }

    @Test("a commit that is too large ends its transaction for good, wherever that is found out")
    func largeCommits() throws {
        let recordBytesMax = 4_000
        var store = SimulatedServer.smallStore
        store.log.recordBytesMax = recordBytesMax
        let bench = try Bench(store: store)
        // Around the bound a commit fits the budget, and its record is too large for the log.
        let answers = try (recordBytesMax - 200...recordBytesMax + 200).map { count in
            let value = Value.bytes([UInt8](repeating: 1, count: count))
            let fields = EncodedFields(encoding: [Value.MapEntry(key: "b", value: value)])
            let id = try bench.begin()
            let first = bench.commit(id, Write(name: bench.name("c/a"), operation: .set(fields)))
            bench.settle()
            return (first.error, bench.commit(id, bench.set("c/a", 1)).error)
        }
        let refused = answers.filter { $0.0 != nil }
        #expect((1..<answers.count).contains(refused.count))
        #expect(refused.allSatisfy { $0 == (.commitTooLarge, .expiredAfterFailure) })
    }

    @Test("reads that wait count as bytes")
    func waitingReads() throws {
        var configuration = TransactionConfiguration()
        configuration.waitingBytesMax = 2_000
        let bench = try Bench(configuration: configuration)
        _ = try bench.holding("c/a")
        _ = bench.commit(nil, bench.set("c/a", 1))
        let reads = try (0..<10).map { _ in bench.read(try bench.begin(), "c/a") }
        let refused = reads.filter { $0.error == .exhausted(.waitingRequests) }
        #expect((1..<10).contains(refused.count))
    }

    @Test("what the masks and transforms of waiting commits bring counts as bytes")
    func waitingOperands() throws {
        var configuration = TransactionConfiguration()
        configuration.waitingBytesMax = 100_000
        let bench = try Bench(configuration: configuration)
        _ = try bench.holding("c/a")
        let field = try FieldPath(parsing: Array("n".utf8))
        for (count, error) in [(1_000, TransactionError.exhausted(.waitingRequests)), (500, nil)] {
            let union = FieldTransform(
                path: field,
                operation: .appendMissingElements((0..<count).map { .integer(Int64($0)) })
            )
            let write = Write(name: bench.name("c/a"), operation: .merge(.empty, mask: []), transforms: [union])
            #expect(bench.commit(nil, write).error == error)
        }
    }

    @Test("very many readers of one document, very many waiting writers: neither costs the square of their number")
    func crowds() throws {
        let bench = try Bench()
        let readers = try (0..<2_000).map { _ in try bench.holding("c/a") }
        let writers = (0..<2_000).map { bench.commit(nil, bench.set("c/a", Int64($0))) }
        for reader in readers { #expect(bench.rollback(reader) == nil) }
        bench.settle()
        #expect(writers.allSatisfy { $0.isSuccess || $0.error == .exhausted(.queuedWrites) })
    }

    @Test("scanned ranges")
    func ranges() throws {
        var configuration = TransactionConfiguration()
        configuration.lockedRangesPerDatabaseMax = 1
        let bench = try Bench(configuration: configuration)
        let id = try bench.begin()
        #expect(bench.scan(id, Bench.collection("c")).isSuccess)
        #expect(bench.scan(id, Bench.collection("d")).error == .exhausted(.lockedRanges))
    }

    @Test("requests that wait, by number and by bytes; what can go ahead still does")
    func waiting() throws {
        var configuration = TransactionConfiguration()
        configuration.waitingRequestsMax = 2
        let bench = try Bench(configuration: configuration)
        let holder = try bench.holding("c/a")
        let waiting = (0..<2).map { bench.commit(nil, bench.set("c/a", Int64($0))) }
        #expect(bench.commit(nil, bench.set("c/a", 1)).error == .exhausted(.waitingRequests))
        let free = bench.commit(nil, bench.set("c/b", 1))
        let own = bench.commit(holder, bench.set("c/a", 7))
        bench.settle()
        #expect(free.isSuccess)
        #expect(own.isSuccess)
        #expect(waiting.allSatisfy { $0.isSuccess })

        configuration.waitingRequestsMax = 100
        configuration.waitingBytesMax = 1_000
        let small = try Bench(configuration: configuration)
        _ = try small.holding("c/a")
        let answers = (0..<10).map { small.commit(nil, small.set("c/a", Int64($0))) }
        let refused = answers.filter { $0.error == .exhausted(.waitingRequests) }
        #expect((1..<10).contains(refused.count))
    }

    @Test("ended transactions are forgotten oldest first")
    func remembered() throws {
        var configuration = TransactionConfiguration()
        configuration.rememberedMax = 2
        let bench = try Bench(configuration: configuration)
        let ids = try (0..<3).map { _ in try bench.begin() }
        for id in ids { #expect(bench.rollback(id) == nil) }
        #expect(ids.map { bench.rollback($0) } == [.invalidTransaction, nil, nil])
    }
}
