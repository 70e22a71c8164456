import BrasaDocuments
import BrasaGRPC
import BrasaStore
import BrasaTransactions
import BrasaWire
import NIOCore

/// BeginTransaction, Commit, Rollback and BatchWrite.
extension FirestoreService {
    func beginTransaction(_ call: GRPCServerCall, _ message: ByteBuffer) {
        let request = call.decode { () throws(WireError) in try BeginTransactionRequest(decoding: message) }
        guard let request else { return }
        let database = self.store.database(request.database)
        self.begin(request.options ?? .unspecified, unspecified: .readWrite(), in: database, for: call) { id in
            call.respond(outcome: call.message { BeginTransactionResponse(transaction: id.bytes).encode(into: &$0) })
        }
    }

    func commit(_ call: GRPCServerCall, _ message: ByteBuffer) {
        let request: CommitRequest
        do throws(WireError) {
            request = try CommitRequest(decoding: message, writesMax: self.transactions.configuration.commitWritesMax)
        } catch {
            self.fail(message)
            return call.finish(error.status)
        }
        var transaction: TransactionID?
        if !request.transaction.isEmpty {
            transaction = self.transactionID(request.transaction, for: call)
            guard transaction != nil else { return }
        }
        let ticket = self.transactions.commit(
            database: self.store.database(request.database),
            transaction: transaction,
            writes: request.writes,
            reply: self.reply { result in
                guard let commit = call.value(result) else { return }
                let response = CommitResponse(
                    writeResults: commit.results.map(WriteResultMessage.init),
                    commitTime: commit.commitTime
                )
                call.respond(outcome: call.message { response.encode(into: &$0) })
            }
        )
        self.settle(ticket, with: call)
    }

    /// A commit that is refused for its writes ends its transaction like any other that fails for good.
    private func fail(_ message: ByteBuffer) {
        guard let target = try? CommitTarget(decoding: message) else { return }
        guard let id = TransactionID(bytes: target.transaction) else { return }
        self.transactions.failCommit(transaction: id, database: self.store.database(target.database))
    }

    func rollback(_ call: GRPCServerCall, _ message: ByteBuffer) {
        let request = call.decode { () throws(WireError) in try RollbackRequest(decoding: message) }
        guard let request, let id = self.transactionID(request.transaction, for: call) else { return }
        let reply: Reply<Void> = self.reply { result in
            if call.value(result) != nil { call.respond(outcome: call.message { _ in }) }
        }
        self.transactions.rollback(transaction: id, database: self.store.database(request.database), reply: reply)
    }

    func batchWrite(_ call: GRPCServerCall, _ message: ByteBuffer) {
        let request = call.decode { () throws(WireError) in
            try BatchWriteRequest(decoding: message, writesMax: self.transactions.configuration.batchWritesMax)
        }
        guard let request else { return }
        let ticket = self.transactions.batchWrite(
            database: self.store.database(request.database),
            writes: request.writes,
            reply: self.reply { result in
                guard let results = call.value(result) else { return }
                // Some bulk writers repeat each write that failed, with whatever code; none repeats a call for this one.
                for case .failure(let error) in results {
                    if case .outcomeUnknown = error { return call.finish(GRPCStatus(error)) }
                }
                var response = BatchWriteResponse(writeResults: [], statuses: [])
                for result in results {
                    switch result {
                    case .success(let write):
                        response.writeResults.append(WriteResultMessage(write))
                        response.statuses.append(.ok)
                    case .failure(let error):
                        response.writeResults.append(WriteResultMessage(updateTime: nil))
                        response.statuses.append(GRPCStatus(error))
                    }
                }
                call.respond(outcome: call.message { response.encode(into: &$0) })
            }
        )
        self.settle(ticket, with: call)
    }
}

extension WriteResultMessage {
    init(_ result: WriteResult) {
        self.init(updateTime: result.updateTime, transformResults: result.transformResults)
    }
}
