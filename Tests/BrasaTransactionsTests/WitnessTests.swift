import BrasaDocuments
import BrasaSimulation
import BrasaStore
import Synchronization
import Testing

@testable import BrasaTransactions

/// Whoever wants a receipt of a commit gets one exactly for what is applied.
@Suite struct WitnessTests {
    private func commit(_ bench: Bench, _ writes: Write..., for witness: Witness) -> Answer<CommitResult> {
        let answer = Answer<CommitResult>()
        bench.transactions.commit(
            database: bench.database,
            transaction: nil,
            writes: writes,
            witness: witness,
            reply: answer.reply(on: bench.mailbox)
        )
        return answer
    }

    @Test func `A commit has a receipt with its time, also when it changes nothing or has waited`() throws {
        let bench = try Bench()
        let witness = Witness(bench)
        let reader = try bench.holding("c/a")
        let answers = [
            self.commit(bench, bench.delete("c/none"), for: witness),
            self.commit(bench, bench.set("c/b", 1), for: witness),
            self.commit(bench, bench.set("c/a", 1), for: witness),
        ]
        bench.settle()
        #expect(!answers[2].isThere)
        #expect(bench.rollback(reader) == nil)
        bench.settle()
        #expect(try witness.times == answers.map { try $0.value.commitTime })
        #expect(witness.withdrawn == 0)
        // Each is a record, and so later than the one before.
        #expect(zip(witness.times, witness.times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `What is refused or taken back has none`() throws {
        let bench = try Bench()
        let witness = Witness(bench)
        let refused = self.commit(bench, bench.verify("c/none", .exists(true)), for: witness)
        bench.settle()
        #expect(refused.error != nil)
        let reader = try bench.holding("c/a")
        let answer = Answer<CommitResult>()
        let ticket = bench.transactions.commit(
            database: bench.database,
            transaction: nil,
            writes: [bench.set("c/a", 1)],
            witness: witness,
            reply: answer.reply(on: bench.mailbox)
        )
        #expect(bench.transactions.cancel(try #require(ticket)))
        #expect(bench.rollback(reader) == nil)
        bench.settle()
        #expect(witness.times.isEmpty && witness.withdrawn == 0)
    }

    @Test func `What the store does not take is withdrawn before a later time is given out`() throws {
        let bench = try Bench()
        let witness = Witness(bench)
        var answers: [Answer<CommitResult>] = []
        // Nothing is written to the disk meanwhile, and the queue is short.
        for number in 0..<2_000 { answers.append(self.commit(bench, bench.set("c/a\(number)", 1), for: witness)) }
        let refused = answers.filter { $0.error == .exhausted(.queuedWrites) }.count
        #expect(refused > 0)
        #expect(witness.withdrawn == refused)
        bench.settle()
        #expect(answers.count { $0.isSuccess } + refused == answers.count)
        #expect(try witness.times == answers.filter(\.isSuccess).map { try $0.value.commitTime })
    }
}

private final class Witness: CommitWitness {
    private let state = Mutex<(times: [Timestamp], withdrawn: Int)>(([], 0))
    private let store: Store
    private let database: DatabaseName

    init(_ bench: Bench) {
        self.store = bench.server.store
        self.database = bench.database.name
    }

    /// Of what was applied.
    var times: [Timestamp] { self.state.withLock(\.times) }
    var withdrawn: Int { self.state.withLock(\.withdrawn) }

    func receipt(for result: CommitResult) -> CommitReceipt {
        self.state.withLock { state in
            state.times.append(result.commitTime)
            return CommitReceipt(
                database: self.database,
                stream: "s",
                position: UInt64(state.times.count),
                previous: UInt64(state.times.count - 1),
                time: result.commitTime,
                answer: []
            )
        }
    }

    func withdrawReceipt() {
        self.state.withLock { state in
            let time = state.times.removeLast()
            state.withdrawn += 1
            // A checkpoint of now would not ask for it yet.
            #expect(self.store.strongReadTime() < time)
        }
    }
}
