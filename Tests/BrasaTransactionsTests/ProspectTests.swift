import BrasaDocuments
import BrasaPlatform
import BrasaSimulation
import BrasaStore
import Synchronization
import Testing

@testable import BrasaTransactions

/// A commit that was judged outside is carried out only on what it was judged by.
@Suite struct ProspectTests {
    private func commit(
        _ bench: Bench,
        _ writes: [Write],
        of transaction: TransactionID? = nil,
        reading paths: [String] = [],
        meanwhile: () throws -> Void = {}
    ) throws -> Answer<CommitResult> {
        let prospect = try bench.transactions.prospect(of: writes, in: bench.database)
        for path in paths { _ = prospect.document(Bench.path(path)) }
        try meanwhile()
        let answer = Answer<CommitResult>()
        bench.transactions.commit(
            database: bench.database,
            transaction: transaction,
            writes: writes,
            prospect: prospect,
            reply: answer.reply(on: bench.mailbox)
        )
        return answer
    }

    private static let changes: [(String, @Sendable (Bench) -> Write, isOutdated: Bool)] = [
        ("a document that was read changes", { $0.set("c/read", 2) }, true),
        ("one that was read goes", { $0.delete("c/read") }, true),
        ("one that was read and missing comes", { $0.set("c/none", 1) }, true),
        ("the document itself changes", { $0.set("c/written", 5) }, true),
        ("another one changes", { $0.set("c/other", 1) }, false),
        ("what was read is written as it is", { $0.set("c/read", 1) }, false),
    ]

    @Test(arguments: changes)
    func `It is outdated when`(_ text: String, _ change: @Sendable (Bench) -> Write, _ isOutdated: Bool) throws {
        let bench = try Bench()
        _ = bench.commit(nil, bench.set("c/read", 1))
        for transaction in [nil, try bench.begin()] {
            _ = bench.commit(nil, bench.set("c/read", 1), bench.set("c/written", 0), bench.delete("c/none"))
            bench.settle()
            let writes = [try bench.increment("c/written", by: 10)]
            let answer = try self.commit(bench, writes, of: transaction, reading: ["c/read", "c/none"]) {
                _ = bench.commit(nil, change(bench))
            }
            bench.settle()
            #expect(answer.error == (isOutdated ? .outdated : nil), "\(text)")
            if !isOutdated { #expect(try bench.stored("c/written") == 10) }
            // A transaction may try again.
            guard isOutdated, transaction != nil else { continue }
            let again = try self.commit(bench, writes, of: transaction, reading: ["c/read", "c/none"])
            bench.settle()
            #expect(again.isSuccess)
        }
    }

    @Test func `It shows the documents as they will be, and what a precondition hides`() throws {
        let bench = try Bench()
        _ = bench.commit(nil, bench.set("c/a", 1), bench.set("c/gone", 1))
        let writes = [try bench.increment("c/a", by: 2), bench.delete("c/gone"), bench.set("c/new", 7, .exists(true))]
        let prospect = try bench.transactions.prospect(of: writes, in: bench.database)
        let futures: [(String, Int64?)] = [("c/a", 3), ("c/gone", nil), ("c/new", 7), ("c/other", nil)]
        for (path, number) in futures {
            switch prospect.future(of: Bench.path(path)) {
            case .fields(let fields): #expect(fields == number.map { Bench.fields($0) }, "\(path)")
            case .missing: #expect(number == nil, "\(path)")
            case .unknown: Issue.record("\(path)")
            }
        }
        #expect(Bench.number(in: prospect.document(Bench.path("c/a"))) == 1)
        // Carried out, it fails as any other.
        let answer = try self.commit(bench, writes)
        bench.settle()
        #expect(answer.error?.code == .notFound)
    }

    @Test func `What waits long is worked out again`() throws {
        let bench = try Bench()
        let holder = try bench.holding("c/a")
        let answer = try self.commit(bench, [bench.set("c/a", 1)])
        bench.pass(seconds: 2)
        #expect(!answer.isThere)
        _ = bench.rollback(holder)
        bench.settle()
        #expect(answer.error == .outdated)
    }

    @Test func `Nothing is said by it before what it rests on is durable`() throws {
        let bench = try Bench()
        _ = bench.commit(nil, bench.set("c/read", 1))
        let prospect = try bench.transactions.prospect(of: [bench.set("c/a", 1)], in: bench.database)
        _ = prospect.document(Bench.path("c/read"))
        let answer = Answer<Void>()
        bench.transactions.confirm(prospect, reply: answer.reply(on: bench.mailbox))
        #expect(!answer.isThere)
        bench.settle()
        #expect(answer.isSuccess)
    }

    @Test func `Nor what it comes to, also where it changes nothing`() throws {
        let bench = try Bench()
        _ = bench.commit(nil, bench.set("c/a", 1))
        bench.settle()
        _ = bench.commit(nil, bench.set("c/read", 1))
        let answer = try self.commit(bench, [bench.set("c/a", 1)], reading: ["c/read"])
        #expect(!answer.isThere)
        bench.settle()
        #expect(answer.isSuccess)
    }

    @Test func `What it keeps counts while the commit waits`() throws {
        let bench = try Bench()
        _ = bench.commit(nil, bench.set("c/a", 1), bench.set("c/read", 1))
        let writes = [bench.set("c/a", 2)]
        let prospect = try bench.transactions.prospect(of: writes, in: bench.database)
        let before = prospect.byteCount
        _ = prospect.document(Bench.path("c/read"))
        #expect(before > 512 && prospect.byteCount > before + 256)
        let orders = [prospect, nil].map { prospect in
            CommitOrder(
                writes,
                in: bench.database,
                refusal: nil,
                prospect: prospect,
                reply: Answer<CommitResult>().reply(on: bench.mailbox)
            )
        }
        #expect(orders[0].byteCount == orders[1].byteCount + prospect.byteCount)
    }

    // MARK: The race

    /// Runs what is posted at once, on the poster's thread.
    private final class Inline: Mailbox {
        func post(_ work: @escaping @Sendable () -> Void) { work() }
    }

    private final class Commits: Sendable {
        private let list = Mutex<[(time: Timestamp, owner: Int64)]>([])

        var all: [(time: Timestamp, owner: Int64)] { self.list.withLock { $0 } }

        func note(_ result: Result<CommitResult, TransactionError>, _ owner: Int64) {
            guard case .success(let commit) = result else { return }
            self.list.withLock { $0.append((commit.commitTime, owner)) }
        }
    }

    private static let owners: Range<Int64> = 0..<4

    /// The rule: whoever the door belongs to may write to the room. Owners write as fast as they may while the door changes
    /// hands; a commit's time says whose it was.
    @Test(.timeLimit(.minutes(5)))
    func `Never is a write carried out that was forbidden at its time`() async throws {
        let bench = try Bench()
        bench.server.store.start()
        let (moves, writes) = (Commits(), Commits())
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<400 {
                    let owner = Int64(round) % Int64(Self.owners.count)
                    let result = await self.commit([bench.set("c/door", owner)], nil, bench)
                    moves.note(result, owner)
                }
            }
            for owner in Self.owners {
                group.addTask {
                    for round in 0..<400 {
                        let write = bench.set("c/room\(owner)", Int64(round))
                        guard let prospect = try? bench.transactions.prospect(of: [write], in: bench.database),
                            Bench.number(in: prospect.document(Bench.path("c/door"))) == owner
                        else {
                            await Task.yield()
                            continue
                        }
                        // The judge takes its time.
                        await Task.yield()
                        let result = await self.commit([write], prospect, bench)
                        writes.note(result, owner)
                    }
                }
            }
        }
        bench.server.store.stop()
        let order = moves.all.sorted { $0.time < $1.time }
        for write in writes.all {
            #expect(order.last { $0.time < write.time }?.owner == write.owner)
        }
        #expect(order.count == 400)
    }

    private func commit(
        _ writes: [Write],
        _ prospect: CommitProspect?,
        _ bench: Bench
    ) async -> Result<CommitResult, TransactionError> {
        await withCheckedContinuation { continuation in
            bench.transactions.commit(
                database: bench.database,
                transaction: nil,
                writes: writes,
                prospect: prospect,
                reply: Reply(mailbox: Inline()) { continuation.resume(returning: $0) }
            )
        }
    }
}
