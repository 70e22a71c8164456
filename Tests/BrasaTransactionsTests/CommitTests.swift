import BrasaDocuments
import BrasaPlatform
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import Testing

@Suite("Commits")
struct CommitTests {
    let bench: Bench

    init() throws {
        self.bench = try Bench()
    }

    // MARK: Results

    @Test("several writes of one document make one version and one result each")
    func severalWrites() throws {
        let commit = bench.commit(
            nil,
            bench.set("c/a", 1),
            try bench.increment("c/a", by: 5),
            bench.set("c/b", 1),
            bench.delete("c/z")
        )
        bench.settle()
        let result = try commit.value
        #expect(result.results.map(\.updateTime) == [result.commitTime, result.commitTime, result.commitTime, nil])
        #expect(result.results[1].transformResults.count == 1)
        #expect(try bench.stored("c/a") == 6)
    }

    @Test("a write that changes nothing keeps the update time, while the commit time moves on")
    func noOperation() throws {
        let first = bench.commit(nil, bench.set("c/a", 1))
        bench.settle()
        let again = bench.commit(nil, bench.set("c/a", 1), bench.set("c/a", 1, .exists(true)))
        let verified = bench.commit(nil, bench.verify("c/a", .exists(true)))
        bench.settle()
        let old = try first.value.commitTime
        #expect(try again.value.results.map(\.updateTime) == [old, old])
        #expect(try again.value.commitTime > old)
        #expect(try verified.value.results.map(\.updateTime) == [old])
    }

    @Test("writes that contradict each other are refused before the state is judged, and without waiting for locks")
    func contradiction() throws {
        _ = bench.read(try bench.begin(), "c/a")
        let commit = bench.commit(
            nil,
            bench.set("c/none", 1, .exists(true)),
            bench.delete("c/a"),
            bench.set("c/a", 1, .exists(true))
        )
        #expect(commit.error?.code == .invalidArgument)
    }

    @Test("set and deleted in one commit: a time for what was set, none for the deletion, nothing is left")
    func setAndDeleted() throws {
        let commit = bench.commit(nil, bench.set("c/a", 1), bench.delete("c/a"))
        bench.settle()
        #expect(try commit.value.results.map { $0.updateTime != nil } == [true, false])
        #expect(try bench.stored("c/a") == nil)
    }

    @Test("a transform to the request's time gets the commit's time")
    func requestTime() throws {
        var write = bench.set("c/a", 1)
        write.transforms = [FieldTransform(path: try FieldPath(parsing: Array("t".utf8)), operation: .requestTime)]
        let commit = bench.commit(nil, write)
        bench.settle()
        let result = try commit.value
        guard case .timestamp(let time) = try #require(result.results.first?.transformResults.first) else {
            Issue.record("not a timestamp")
            return
        }
        #expect(time == result.commitTime)
    }

    @Test("one failed precondition fails the whole commit")
    func atomic() throws {
        let commit = bench.commit(nil, bench.set("c/a", 1), bench.set("c/b", 1, .exists(true)))
        bench.settle()
        #expect(commit.error?.code == .notFound)
        #expect(try bench.stored("c/a") == nil)
    }

    @Test("commit times increase even when the wall clock steps back")
    func clockStepsBack() throws {
        var times: [Timestamp] = []
        for number in 0..<10 {
            let commit = bench.commit(nil, bench.set("c/a", Int64(number)))
            bench.settle()
            times.append(try commit.value.commitTime)
            bench.server.clock.step(microseconds: -1_000_000)
        }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    // MARK: Durability

    @Test("plain commits of one document do not wait for each other's durability")
    func pipelined() throws {
        let commits = (0..<20).map { bench.commit(nil, bench.set("c/a", Int64($0))) }
        #expect(!commits.contains { $0.isThere })
        #expect(bench.server.store.step())
        while bench.server.scheduler.runOne() {}
        #expect(commits.allSatisfy { $0.isSuccess })
    }

    @Test("a transactional read of what is not durable yet waits for it")
    func readsWait() throws {
        _ = bench.commit(nil, bench.set("c/a", 1))
        let id = try bench.begin()
        let read = bench.read(id, "c/a")
        let elsewhere = bench.read(id, "c/b")
        #expect(!read.isThere)
        #expect(elsewhere.isSuccess)
        bench.settle()
        #expect(try Bench.number(in: read.value.documents[0]) == 1)
    }

    @Test("an answer that shows what is not durable yet waits for it")
    func judgementsWait() throws {
        _ = bench.commit(nil, bench.set("c/a", 1))
        let answers = [
            bench.commit(nil, bench.set("c/a", 1)), bench.commit(nil, bench.set("c/a", 2, .exists(false))),
            bench.commit(nil, bench.verify("c/a", .exists(true))),
        ]
        #expect(!answers.contains { $0.isThere })
        let unrelated = bench.commit(nil, bench.set("c/other", 2, .exists(true)))
        #expect(unrelated.error?.code == .notFound)
        bench.settle()
        #expect(answers.allSatisfy { $0.isThere })
        #expect(answers[1].error?.code == .alreadyExists)
    }

    @Test("after a failed sync nothing is acknowledged: commits, judgements and transactional reads hear UNAVAILABLE")
    func failedSync() throws {
        let disk = SimulatedDisk(seed: 1)
        let server = try SimulatedServer(seed: 1, disk: disk, clock: SimulatedClock())
        server.settle()
        let mailbox = server.scheduler.mailbox()
        let database = server.database()
        disk.faults.failedSyncs = 1_000
        func commit(_ write: Write) -> Answer<CommitResult> {
            let answer = Answer<CommitResult>()
            server.transactions.commit(
                database: database,
                transaction: nil,
                writes: [write],
                reply: answer.reply(on: mailbox)
            )
            return answer
        }
        let first = commit(bench.set("c/a", 1))
        let same = commit(bench.set("c/a", 1))
        let id = try server.transactions.begin(database: database, mode: .readWrite())
        let read = Answer<ReadResult>()
        server.transactions.read(
            transaction: id,
            database: database,
            paths: [Bench.path("c/a")],
            reply: read.reply(on: mailbox)
        )
        server.settle()
        let later = commit(bench.set("c/b", 1))
        server.settle()
        // Of the first nobody knows; the others have surely not happened, and may be asked for again.
        #expect(first.error?.code == .dataLoss)
        for error in [same.error, read.error, later.error] { #expect(error?.code == .unavailable) }
        #expect(first.count == 1)
        let time = server.store.strongReadTime()
        #expect(try server.store.get(Bench.path("c/a"), in: database, at: time) == nil)
    }

    @Test("a full queue refuses a transaction's commit without ending it")
    func fullQueue() throws {
        let id = try bench.holding("c/a")
        var refused: Answer<CommitResult>?
        for number in 0..<10_000 where refused == nil {
            let commit = bench.commit(nil, bench.set("c/filler\(number)", 1))
            if commit.error?.code == .resourceExhausted { refused = commit }
        }
        #expect(refused != nil)
        let commit = bench.commit(id, bench.set("c/a", 1))
        #expect(commit.error?.code == .resourceExhausted)
        bench.settle()
        let again = bench.commit(id, bench.set("c/a", 1))
        bench.settle()
        #expect(again.isSuccess)
    }

    // MARK: Batches

    @Test("each write of a batch stands for itself, in its place")
    func batch() throws {
        _ = bench.commit(nil, bench.set("c/there", 1), bench.set("c/gone", 1))
        bench.settle()
        let reader = try bench.holding("c/held")
        let answer = Answer<[Result<WriteResult, TransactionError>]>()
        bench.transactions.batchWrite(
            database: bench.database,
            writes: [
                .success(bench.set("c/a", 1)), .success(bench.set("c/there", 1, .exists(false))),
                .failure(DocumentError(.emptyWrite)), .success(bench.set("c/held", 1)),
                .success(bench.delete("c/gone")),
            ],
            reply: answer.reply(on: bench.mailbox)
        )
        bench.settle()
        #expect(!answer.isThere)
        #expect(bench.rollback(reader) == nil)
        bench.settle()
        #expect(answer.count == 1)
        let codes = try answer.value.map { result -> TransactionError.Code? in
            if case .failure(let error) = result { error.code } else { nil }
        }
        #expect(codes == [nil, .alreadyExists, .invalidArgument, nil, nil])
        #expect(try bench.stored("c/a") == 1)
        #expect(try bench.stored("c/held") == 1)
        #expect(try bench.stored("c/gone") == nil)
    }

    @Test("one document twice refuses the whole batch")
    func duplicates() throws {
        let answer = Answer<[Result<WriteResult, TransactionError>]>()
        bench.transactions.batchWrite(
            database: bench.database,
            writes: [.success(bench.set("c/a", 1)), .success(bench.delete("c/a"))],
            reply: answer.reply(on: bench.mailbox)
        )
        #expect(answer.error == .duplicateInBatch)
        #expect(
            answer.error?.message
                == "the same document cannot be written more than once in a single request"
        )
        #expect(try bench.stored("c/a") == nil)
    }

    @Test("empty commits and empty batches succeed")
    func empty() throws {
        #expect(bench.commit().isSuccess)
        let answer = Answer<[Result<WriteResult, TransactionError>]>()
        bench.transactions.batchWrite(
            database: bench.database,
            writes: [],
            reply: answer.reply(on: bench.mailbox)
        )
        #expect(try answer.value.isEmpty)
    }

    @Test("clearing a database deletes all and ends its open transactions")
    func clear() throws {
        _ = bench.commit(nil, bench.set("c/a", 1), bench.set("d/b/c/d", 1))
        let id = try bench.holding("c/a")
        let answer = Answer<Timestamp>()
        bench.transactions.clear(database: bench.database, reply: answer.reply(on: bench.mailbox))
        bench.settle()
        #expect(answer.isSuccess)
        #expect(try bench.stored("c/a") == nil)
        #expect(try bench.stored("d/b/c/d") == nil)
        #expect(bench.commit(id, bench.set("c/a", 1)).error == .expired)
    }

    // MARK: Answers

    @Test("a replayed commit is not applied twice")
    func replay() throws {
        let id = try bench.holding("c/a")
        let first = bench.commit(id, try bench.increment("c/a", by: 1))
        let replay = bench.commit(id, try bench.increment("c/a", by: 1))
        #expect(replay.error == .expired)
        bench.settle()
        #expect(first.isSuccess)
        #expect(try bench.stored("c/a") == 1)
    }

    @Test("a commit ends reads that still wait, and a second commit of a waiting one is refused")
    func overlapping() throws {
        let holder = try bench.holding("c/a")
        let id = try bench.holding("c/b")
        _ = bench.commit(nil, bench.set("c/a", 2))
        // Younger than the plain commit, so it waits behind it.
        let young = try bench.begin()
        let read = bench.read(young, "c/a")
        #expect(!read.isThere)
        let commit = bench.commit(young, bench.set("c/q", 1))
        bench.settle()
        #expect(read.error == .expired)
        #expect(commit.isSuccess)
        let waiting = bench.commit(id, bench.set("c/a", 3))
        #expect(bench.commit(id, bench.set("c/a", 3)).error == .expired)
        #expect(!waiting.isThere)
        #expect(bench.rollback(id) == nil)
        bench.settle()
        #expect(waiting.error == .expired)
        #expect(bench.rollback(holder) == nil)
    }
}
