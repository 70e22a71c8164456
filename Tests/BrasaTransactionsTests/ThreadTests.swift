import BrasaDocuments
import BrasaPlatform
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import Testing

/// The same promises with real threads: callers on several, the log on its own.
@Suite("Transactions from many threads")
struct ThreadTests {
    /// Runs what is posted at once, on the poster's thread. Nothing here depends on where.
    private final class Inline: Mailbox {
        func post(_ work: @escaping @Sendable () -> Void) { work() }
    }

    @Test("increments from eight tasks on one document, transactional and plain, all count", .timeLimit(.minutes(10)))
    func increments() async throws {
        let bench = try Bench()
        bench.server.store.start()
        await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for _ in 0..<25 {
                        if task % 2 == 0 {
                            try await self.incrementInTransaction(bench)
                        } else {
                            _ = try await self.commit(nil, [try bench.increment("c/a", by: 1)], bench)
                        }
                    }
                }
            }
        }
        bench.server.store.stop()
        #expect(try bench.stored("c/a") == 200)
    }

    private func incrementInTransaction(_ bench: Bench) async throws {
        var first: TransactionID?
        for _ in 0..<1_000 {
            let id = try bench.begin(.readWrite(retry: first))
            first = first ?? id
            let read: Result<ReadResult, TransactionError> = await withCheckedContinuation { continuation in
                bench.transactions.read(
                    transaction: id,
                    database: bench.database,
                    paths: [Bench.path("c/a")],
                    reply: Reply(mailbox: Inline()) { continuation.resume(returning: $0) }
                )
            }
            let number = Bench.number(in: try read.get().documents[0]) ?? 0
            do {
                _ = try await self.commit(id, [bench.set("c/a", number + 1)], bench)
                return
            } catch {
                guard error.code == .aborted else { throw error }
            }
        }
        Issue.record("too many attempts")
    }

    private func commit(
        _ id: TransactionID?,
        _ writes: [Write],
        _ bench: Bench
    ) async throws(TransactionError) -> CommitResult {
        let result: Result<CommitResult, TransactionError> = await withCheckedContinuation { continuation in
            bench.transactions.commit(
                database: bench.database,
                transaction: id,
                writes: writes,
                reply: Reply(mailbox: Inline()) { continuation.resume(returning: $0) }
            )
        }
        return try result.get()
    }
}
