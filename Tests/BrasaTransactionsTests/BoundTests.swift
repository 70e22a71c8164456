import BrasaSimulation
import BrasaTransactions
import Testing

@Suite("Bounds of the transaction room")
struct BoundTests {
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
