import BrasaDocuments
import BrasaPlatform
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import Testing

@Suite("Transactions that read from a snapshot")
struct SnapshotTests {
    let bench: Bench

    init() throws {
        self.bench = try Bench()
        _ = self.bench.commit(nil, self.bench.set("c/a", 1))
        self.bench.settle()
    }

    private func write(_ path: String, _ number: Int64) throws -> Timestamp {
        self.bench.server.clock.advance(microseconds: 10_000)
        let commit = self.bench.commit(nil, self.bench.set(path, number))
        self.bench.settle()
        return try commit.value.commitTime
    }

    private static func numbers(_ read: Answer<ReadResult>) throws -> [Int64?] {
        try read.value.documents.map(Bench.number)
    }

    // MARK: Where a snapshot begins

    @Test("the snapshot or the locks begin at the first read, not at begin")
    func beginsAtFirstRead() throws {
        let modes = [TransactionMode.readWrite(), .readWrite(concurrency: .optimistic), .readOnly()]
        for (mode, number) in zip(modes, [10, 11, 12] as [Int64]) {
            let id = try bench.begin(mode)
            _ = try self.write("c/a", number)
            let read = bench.read(id, "c/a")
            bench.settle()
            #expect(try Self.numbers(read) == [number])
            #expect(bench.commit(id).isSuccess)
        }
    }

    @Test("a read-only transaction sees one moment, blocks nobody and is blocked by nobody")
    func readOnly() throws {
        let holder = try bench.holding("c/a")
        let id = try bench.begin(.readOnly())
        #expect(try Self.numbers(bench.read(id, "c/a", "c/b")) == [1, nil])
        #expect(bench.rollback(holder) == nil)
        _ = try self.write("c/a", 2)
        _ = try self.write("c/b", 2)
        let read = bench.read(id, "c/b", "c/a")
        #expect(try Self.numbers(read) == [nil, 1])
        #expect(try bench.scan(id, Bench.collection("c")).value.readTime == read.value.readTime)
        #expect(bench.commit(id).isSuccess)
    }

    @Test("a time to read at is exact to the microsecond")
    func readTime() throws {
        let first = try self.write("c/a", 5)
        let second = try self.write("c/a", 6)
        let before = Timestamp(microseconds: second.microseconds - 1)
        for (time, number) in [(first, 5), (before, 5), (second, 6)] as [(Timestamp, Int64)] {
            let id = try bench.begin(.readOnly(readTime: time))
            let read = bench.read(id, "c/a")
            #expect(try Self.numbers(read) == [number])
            #expect(try read.value.readTime == time)
        }
    }

    @Test("times that cannot be read at are refused at begin")
    func refusedReadTimes() throws {
        let store = bench.server.store
        let past = Timestamp(microseconds: store.creationTime.microseconds - 1)
        let future = Timestamp(microseconds: bench.server.clock.clock.wall().microseconds + 5_000_000)
        #expect(throws: TransactionError.readTimeBeforeCreation) { try bench.begin(.readOnly(readTime: past)) }
        #expect { try bench.begin(.readOnly(readTime: future)) } throws: { error in
            (error as? TransactionError)?.code == .invalidArgument
                && (error as? TransactionError)?.message == "The requested 'read_time' cannot be in the future."
        }
        bench.server.clock.advance(microseconds: 2 * 3_600_000_000)
        while store.maintain() {}
        let old = Timestamp(microseconds: store.creationTime.microseconds + 1)
        #expect(throws: TransactionError.readTimeTooOld) { try bench.begin(.readOnly(readTime: old)) }
    }

    // MARK: Optimistic

    @Test("the first committer of two optimistic ones wins; nobody waits")
    func firstCommitterWins() throws {
        let one = try bench.begin(.readWrite(concurrency: .optimistic))
        let other = try bench.begin(.readWrite(concurrency: .optimistic))
        #expect(bench.read(one, "c/a").isSuccess)
        #expect(bench.read(other, "c/a").isSuccess)
        let won = bench.commit(other, bench.set("c/a", 2))
        bench.settle()
        #expect(won.isSuccess)
        #expect(try Self.numbers(bench.read(one, "c/a")) == [1])
        let lost = bench.commit(one, bench.set("c/b", 2))
        bench.settle()
        #expect(lost.error == .contention)
        #expect(bench.rollback(one) == nil)
    }

    @Test("a deletion that history has forgotten aborts who read the document; what is still known does not")
    func forgottenDeletion() throws {
        var store = SimulatedServer.smallStore
        store.historyBytesMax = 0
        store.historyMin = .zero
        let bench = try Bench(store: store)
        let commits = [bench.commit(nil, bench.set("c/a", 1)), bench.commit(nil, bench.set("c/b", 1))]
        bench.settle()
        #expect(commits.allSatisfy { $0.isSuccess })
        let ids = try (0..<3).map { _ in try bench.begin(.readWrite(concurrency: .optimistic)) }
        let paths = ["c/a", "c/missing", "c/b"]
        let reads = zip(ids, paths).map { bench.read($0, $1) }
        #expect(try reads.map { try Self.numbers($0) } == [[1], [nil], [1]])
        bench.server.clock.advance(microseconds: 10_000)
        _ = bench.commit(nil, bench.delete("c/a"))
        bench.settle()
        #expect(bench.server.store.latestTime(Bench.path("c/a"), in: bench.database) != nil)
        bench.server.clock.advance(microseconds: 10_000)
        while bench.server.store.maintain() {}
        #expect(bench.server.store.latestTime(Bench.path("c/a"), in: bench.database) == nil)
        // Nothing tells what never was there from what is forgotten.
        let answers = ids.map { bench.commit($0, bench.set("d/a", 2)) }
        bench.settle()
        #expect(answers.map(\.error) == [.contention, .contention, nil])
        #expect(answers[2].isSuccess)
    }

    @Test("what an optimistic transaction found missing, or scanned, may not have changed either")
    func validation() throws {
        for path in ["c/missing", "c/a"] {
            let reader = try bench.begin(.readWrite(concurrency: .optimistic))
            let scanner = try bench.begin(.readWrite(concurrency: .optimistic))
            let stranger = try bench.begin(.readWrite(concurrency: .optimistic))
            #expect(bench.read(reader, path).isSuccess)
            #expect(bench.scan(scanner, Bench.collection("c")).isSuccess)
            #expect(bench.read(stranger, "d/a").isSuccess)
            _ = try self.write(path, 9)
            let commits = [reader, scanner, stranger].map { bench.commit($0, bench.set("e/a", 1)) }
            bench.settle()
            #expect(commits.map(\.error) == [.contention, .contention, nil])
            #expect(commits[2].isSuccess)
        }
    }

    @Test("an optimistic transaction that writes nothing always commits")
    func optimisticWithoutWrites() throws {
        let id = try bench.begin(.readWrite(concurrency: .optimistic))
        #expect(bench.read(id, "c/a").isSuccess)
        _ = try self.write("c/a", 3)
        #expect(bench.commit(id).isSuccess)
    }

    @Test(
        "what an optimistic transaction scanned is held against the changes since, or it is aborted when they are forgotten"
    )
    func forgottenChanges() throws {
        let remembered = SimulatedServer.smallStore.recentChangesMax
        for (count, error) in [(remembered, nil), (remembered + 1, TransactionError.contention)] {
            let reader = try bench.begin(.readWrite(concurrency: .optimistic))
            let scanner = try bench.begin(.readWrite(concurrency: .optimistic))
            #expect(bench.read(reader, "c/a").isSuccess)
            #expect(bench.scan(scanner, Bench.collection("c")).isSuccess)
            for number in 0..<count { _ = try self.write("d/\(number)", Int64(count)) }
            let commits = [scanner, reader].map { bench.commit($0, bench.set("e/a", 1)) }
            bench.settle()
            #expect(commits.map(\.error) == [error, nil])
        }
    }
}
