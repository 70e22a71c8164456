import BrasaDocuments
import BrasaQueries
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import Testing

/// The reference's 6.2: who waits, who wins.
@Suite("Conflicts between transactions")
struct ConflictTests {
    let bench: Bench

    init() throws {
        self.bench = try Bench()
        _ = self.bench.commit(nil, self.bench.set("c/a", 1), self.bench.set("c/b", 1))
        self.bench.settle()
    }

    // MARK: The table of 6.2.7, T older than W

    @Test("a younger committer waits for an older reader and succeeds when that ends without writing")
    func youngerWaits() throws {
        let older = try bench.holding("c/a")
        let younger = try bench.holding("c/a")
        let commit = bench.commit(younger, bench.set("c/a", 2))
        bench.settle()
        #expect(!commit.isThere)
        #expect(bench.rollback(older) == nil)
        bench.settle()
        #expect(commit.isSuccess)
        #expect(try bench.stored("c/a") == 2)
    }

    @Test("of two that read and write the same, the older succeeds and the younger is aborted")
    func upgradeConflict() throws {
        let older = try bench.holding("c/a")
        let younger = try bench.holding("c/a")
        let lost = bench.commit(younger, bench.set("c/a", 2))
        let won = bench.commit(older, bench.set("c/a", 3))
        bench.settle()
        #expect(won.isSuccess)
        #expect(lost.error == .contention)
        #expect(try bench.stored("c/a") == 3)
    }

    @Test("a deadlock costs the younger, who waited first")
    func deadlockYoungerFirst() throws {
        let older = try bench.holding("c/a")
        let younger = try bench.holding("c/b")
        let lost = bench.commit(younger, bench.set("c/a", 2))
        bench.settle()
        #expect(!lost.isThere)
        let won = bench.commit(older, bench.set("c/b", 3))
        bench.settle()
        #expect(won.isSuccess)
        #expect(lost.error == .contention)
    }

    @Test("a deadlock costs the younger, who came second")
    func deadlockYoungerSecond() throws {
        let older = try bench.holding("c/b")
        let younger = try bench.holding("c/a")
        let won = bench.commit(older, bench.set("c/a", 2))
        bench.settle()
        let lost = bench.commit(younger, bench.set("c/b", 3))
        bench.settle()
        #expect(won.isSuccess)
        #expect(lost.error == .contention)
        #expect(try bench.stored("c/b") == 1)
    }

    @Test("a younger writer of what an older only read waits, and both succeed")
    func bothSucceed() throws {
        let older = try bench.holding("c/a")
        let younger = try bench.holding("c/b")
        let second = bench.commit(younger, bench.set("c/a", 2))
        let first = bench.commit(older, bench.set("c/c", 3))
        bench.settle()
        #expect(first.isSuccess)
        #expect(second.isSuccess)
        #expect(try first.value.commitTime < second.value.commitTime)
    }

    @Test("two that only read never block each other, however often")
    func readersShare() throws {
        for _ in 0..<20 {
            let one = try bench.holding("c/a", "c/b")
            let other = try bench.holding("c/b", "c/a")
            let commits = [bench.commit(one), bench.commit(other)]
            #expect(commits.allSatisfy { $0.isSuccess })
        }
    }

    // MARK: Plain commits

    @Test("a plain commit waits for a reader and succeeds when the reader commits")
    func plainWaits() throws {
        let reader = try bench.holding("c/a")
        let plain = bench.commit(nil, bench.set("c/a", 2))
        bench.settle()
        #expect(!plain.isThere)
        let won = bench.commit(reader, bench.set("c/a", 7))
        bench.settle()
        #expect(won.isSuccess)
        #expect(plain.isSuccess)
        #expect(try bench.stored("c/a") == 2)
    }

    @Test("a plain commit of a document that a transaction found missing waits as well")
    func missingDocumentsAreLocked() throws {
        let reader = try bench.holding("c/missing")
        let plain = bench.commit(nil, bench.set("c/missing", 2))
        bench.settle()
        #expect(!plain.isThere)
        _ = bench.rollback(reader)
        bench.settle()
        #expect(plain.isSuccess)
    }

    @Test("after 20 seconds a waiting writer hears of too much contention, and the reader can still commit")
    func lockDeadline() throws {
        let reader = try bench.holding("c/a")
        let plain = bench.commit(nil, bench.set("c/a", 2))
        bench.pass(seconds: 19)
        #expect(!plain.isThere)
        bench.pass(seconds: 2)
        #expect(plain.error == .tooMuchContention)
        let commit = bench.commit(reader, bench.set("c/a", 3))
        bench.settle()
        #expect(commit.isSuccess)
        #expect(try bench.stored("c/a") == 3)
    }

    @Test("a transaction that waited too long is over")
    func lockDeadlineOfTransaction() throws {
        let reader = try bench.holding("c/a")
        let other = try bench.holding("c/b")
        let commit = bench.commit(other, bench.set("c/a", 2))
        bench.pass(seconds: 21)
        #expect(commit.error == .tooMuchContention)
        #expect(bench.commit(other).error == .expired)
        #expect(bench.rollback(other) == nil)
        #expect(bench.rollback(reader) == nil)
    }

    @Test("a later transactional read waits behind a queued writer and sees what it wrote; a plain read does not wait")
    func readersQueueBehindWriters() throws {
        let reader = try bench.holding("c/a")
        let plain = bench.commit(nil, bench.set("c/a", 2))
        let later = try bench.begin()
        let read = bench.read(later, "c/a")
        bench.settle()
        #expect(!plain.isThere)
        #expect(!read.isThere)
        #expect(try bench.stored("c/a") == 1)
        #expect(bench.commit(reader).isSuccess)
        bench.settle()
        #expect(plain.isSuccess)
        #expect(try Bench.number(in: read.value.documents[0]) == 2)
    }

    @Test("commits that wait are applied in the order in which they came")
    func fifo() throws {
        let reader = try bench.holding("c/a")
        let commits = (2..<10).map { bench.commit(nil, bench.set("c/a", $0)) }
        #expect(bench.rollback(reader) == nil)
        bench.settle()
        let times = try commits.map { try $0.value.commitTime }
        #expect(times == times.sorted())
        #expect(try bench.stored("c/a") == 9)
    }

    @Test("a commit in a transaction that read nothing behaves like a plain one")
    func blindCommit() throws {
        let reader = try bench.holding("c/a")
        let blind = try bench.begin()
        let commit = bench.commit(blind, bench.set("c/a", 5))
        bench.settle()
        #expect(!commit.isThere)
        let won = bench.commit(reader, bench.set("c/a", 6))
        bench.settle()
        #expect(won.isSuccess)
        #expect(commit.isSuccess)
        #expect(try bench.stored("c/a") == 5)
    }

    @Test("a circle through a queued plain commit dissolves: the reader with the lock passes it")
    func passesQueuedPlainCommit() throws {
        let reader = try bench.holding("c/a")
        let plain = bench.commit(nil, bench.set("c/a", 2), bench.set("c/b", 2))
        let read = bench.read(reader, "c/b")
        bench.settle()
        #expect(try Bench.number(in: read.value.documents[0]) == 1)
        #expect(bench.commit(reader).isSuccess)
        bench.settle()
        #expect(plain.isSuccess)
    }

    // MARK: Victims

    @Test("a victim's commit without writes succeeds, and until then it reads the state in which it lost its locks")
    func victimsReadOn() throws {
        let older = try bench.holding("c/a")
        let victim = try bench.holding("c/a")
        let won = bench.commit(older, bench.set("c/a", 8), bench.set("c/b", 8))
        let read = bench.read(victim, "c/b", "c/a")
        bench.settle()
        #expect(won.isSuccess)
        #expect(try read.value.documents.map(Bench.number) == [1, 1])
        #expect(try read.value.readTime < won.value.commitTime)
        #expect(bench.commit(victim).isSuccess)
    }

    @Test("a victim hears of contention at its commit, then that it has expired; rollback is fine")
    func victimsEnd() throws {
        let older = try bench.holding("c/a")
        let victim = try bench.holding("c/a")
        _ = bench.commit(older, bench.set("c/a", 8))
        bench.settle()
        #expect(bench.commit(victim, bench.set("c/d", 1)).error == .contention)
        #expect(bench.commit(victim, bench.set("c/d", 1)).error == .expired)
        #expect(bench.read(victim, "c/a").error == .expired)
        #expect(bench.rollback(victim) == nil)
        #expect(bench.rollback(victim) == nil)
    }

    @Test("a retry has the age of the attempt that it names, whether it ended or not")
    func retriesKeepTheirAge() throws {
        let first = try bench.holding("c/a")
        let other = try bench.holding("c/b")
        #expect(bench.rollback(first) == nil)
        let retry = try bench.holding("c/a", retry: first)
        let lost = bench.commit(other, bench.set("c/a", 2))
        let won = bench.commit(retry, bench.set("c/b", 3))
        bench.settle()
        #expect(won.isSuccess)
        #expect(lost.error == .contention)
    }

    // MARK: Ranges

    @Test("a write that would add to, change or delete what was scanned waits; one outside does not")
    func phantoms() throws {
        let scanner = try bench.begin()
        let grant = bench.scan(scanner, Bench.collection("c"))
        #expect(try grant.value.readTime >= bench.server.store.watermark)
        let waiting = [
            bench.commit(nil, bench.set("c/new", 1)), bench.commit(nil, bench.set("c/a", 2)),
            bench.commit(nil, bench.delete("c/b")),
        ]
        let outside = bench.commit(nil, bench.set("d/new", 1))
        bench.settle()
        #expect(!waiting.contains { $0.isThere })
        #expect(outside.isSuccess)
        let commit = bench.commit(scanner, bench.set("c/count", 2))
        bench.settle()
        #expect(commit.isSuccess)
        #expect(waiting.allSatisfy { $0.isSuccess })
    }

    @Test("of two that scan and then write into the range, the older succeeds")
    func scanConflict() throws {
        let older = try bench.begin()
        let younger = try bench.begin()
        let scans = [bench.scan(older, Bench.collection("c")), bench.scan(younger, Bench.collection("c"))]
        #expect(scans.allSatisfy { $0.isSuccess })
        let lost = bench.commit(younger, bench.set("c/y", 1))
        bench.settle()
        #expect(!lost.isThere)
        let won = bench.commit(older, bench.set("c/x", 1))
        bench.settle()
        #expect(won.isSuccess)
        #expect(lost.error == .contention)
    }

    @Test("a scan waits behind a queued commit into its range")
    func scansQueue() throws {
        let reader = try bench.holding("c/a")
        let plain = bench.commit(nil, bench.set("c/a", 2))
        let scanner = try bench.begin()
        let scan = bench.scan(scanner, Bench.collection("c"))
        bench.settle()
        #expect(!scan.isThere)
        #expect(bench.rollback(reader) == nil)
        bench.settle()
        #expect(plain.isSuccess)
        #expect(try scan.value.readTime >= plain.value.commitTime)
    }

    @Test("a scan that stopped early locks no more than it has seen")
    func narrowing() throws {
        let scanner = try bench.begin()
        let grant = try bench.scan(scanner, Bench.collection("c")).value
        let beyond = bench.commit(nil, bench.set("c/z", 1))
        bench.settle()
        #expect(!beyond.isThere)
        var seen = Bench.collection("c")
        seen.upper = NameBound(path: Bench.path("c/b"), isInclusive: true)
        bench.transactions.narrowScan(
            transaction: scanner,
            database: bench.database,
            grant,
            to: QueryRange(names: seen)
        )
        bench.settle()
        #expect(beyond.isSuccess)
        let within = bench.commit(nil, bench.set("c/aa", 1))
        bench.settle()
        #expect(!within.isThere)
    }
}

@Suite("Requests taken back")
struct CancellingTests {
    @Test("a commit that is taken back leaves its queue, is not applied and not answered")
    func commit() throws {
        let bench = try Bench()
        let holder = try bench.holding("c/a")
        let answer = Answer<CommitResult>()
        let ticket = bench.transactions.commit(
            database: bench.database,
            transaction: nil,
            writes: [bench.set("c/a", 2)],
            reply: answer.reply(on: bench.mailbox)
        )
        let behind = try bench.begin()
        let read = bench.read(behind, "c/a")
        bench.settle()
        #expect(!read.isThere)
        #expect(bench.transactions.cancel(try #require(ticket)))
        bench.settle()
        #expect(read.isSuccess)
        #expect(bench.rollback(holder) == nil)
        #expect(bench.rollback(behind) == nil)
        bench.settle()
        #expect(!answer.isThere)
        #expect(try bench.stored("c/a") == nil)
        #expect(!bench.transactions.cancel(try #require(ticket)))
    }

    @Test("a transaction lives on after a read, and ends with a commit, that was taken back")
    func transaction() throws {
        let bench = try Bench()
        let holder = try bench.holding("c/a")
        _ = bench.commit(nil, bench.set("c/a", 2))
        let reader = try bench.begin()
        let answer = Answer<ReadResult>()
        let ticket = bench.transactions.read(
            transaction: reader,
            database: bench.database,
            paths: [Bench.path("c/a")],
            reply: answer.reply(on: bench.mailbox)
        )
        #expect(bench.transactions.cancel(try #require(ticket)))
        #expect(bench.read(reader, "c/b").isSuccess)
        let commit = bench.transactions.commit(
            database: bench.database,
            transaction: reader,
            writes: [bench.set("c/a", 3)],
            reply: Answer<CommitResult>().reply(on: bench.mailbox)
        )
        #expect(bench.transactions.cancel(try #require(commit)))
        #expect(bench.commit(reader).error == .expired)
        #expect(bench.rollback(reader) == nil)
        #expect(bench.rollback(holder) == nil)
        bench.settle()
        #expect(!answer.isThere)
        #expect(try bench.stored("c/a") == 2)
    }
}
