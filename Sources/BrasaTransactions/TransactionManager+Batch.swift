package import BrasaDocuments
package import BrasaStore
import Synchronization

extension TransactionManager {
    /// Applies each write for itself. Those that were malformed keep their error; one document twice refuses all. The
    /// ticket takes back those that wait for locks.
    @discardableResult
    package func batchWrite(
        database: DatabaseHandle,
        writes: [Result<Write, DocumentError>],
        reply: Reply<[Result<WriteResult, TransactionError>]>
    ) -> BatchTicket? {
        if let refusal = self.refusal(ofBatch: writes) {
            reply.complete(.failure(refusal))
            return nil
        }
        guard !writes.isEmpty else {
            reply.complete(.success([]))
            return nil
        }
        var waiting: [(index: Int, ticket: RequestTicket)] = []
        let batch = Batch(count: writes.count, reply: reply)
        for (index, write) in writes.enumerated() {
            let reply = Reply<CommitResult>(mailbox: reply.mailbox) { result in
                batch.finish(index, result.map { $0.results[0] })
            }
            switch write {
            case .success(let write):
                // Each in a visit of its own: others wait for one at most.
                let ticket = self.commit(database: database, transaction: nil, writes: [write], reply: reply)
                if let ticket { waiting.append((index, ticket)) }
            case .failure(let error):
                reply.complete(.failure(.document(error)))
            }
        }
        return waiting.isEmpty ? nil : BatchTicket(batch: batch, waiting: waiting)
    }

    private func refusal(ofBatch writes: [Result<Write, DocumentError>]) -> TransactionError? {
        guard writes.count <= self.configuration.batchWritesMax else {
            return .tooManyWrites(allowed: self.configuration.batchWritesMax)
        }
        var paths: Set<ResourcePath> = []
        for case .success(let write) in writes where !paths.insert(write.name.path).inserted {
            return .duplicateInBatch
        }
        return nil
    }

    /// Takes the writes of a batch out of their queues that still wait there. They have not happened, and that is their
    /// answer; if the others have theirs, the batch is answered before this returns.
    package func cancel(_ ticket: BatchTicket) {
        for (index, request) in ticket.waiting where self.cancel(request) {
            ticket.batch.finish(index, .failure(.unavailable(reason: "The write was taken back: nothing was written.")))
        }
    }
}

/// Names the writes of a batch that wait for locks.
package struct BatchTicket: Sendable {
    fileprivate let batch: Batch
    fileprivate let waiting: [(index: Int, ticket: RequestTicket)]
}

/// Collects the answers to the writes of one batch and gives them together.
private final class Batch: Sendable {
    private typealias WriteOutcome = Result<WriteResult, TransactionError>

    private enum State {
        case collecting([WriteOutcome?], missing: Int)
        case answered
    }

    private let state: Mutex<State>
    private let reply: Reply<[Result<WriteResult, TransactionError>]>

    init(count: Int, reply: Reply<[Result<WriteResult, TransactionError>]>) {
        self.state = Mutex(.collecting(Array(repeating: nil, count: count), missing: count))
        self.reply = reply
    }

    func finish(_ index: Int, _ result: Result<WriteResult, TransactionError>) {
        let complete: [WriteOutcome]? = self.state.withLock { state in
            guard case .collecting(var results, let missing) = state else { return nil }
            // So that there is one reference to what is changed.
            state = .answered
            results[index] = result
            if missing == 1 { return results.compactMap(\.self) }
            state = .collecting(results, missing: missing - 1)
            return nil
        }
        if let complete { self.reply.complete(.success(complete)) }
    }
}
