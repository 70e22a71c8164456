import BrasaDocuments
package import BrasaIdentity
package import BrasaMessages
import BrasaStore
import BrasaTransactions

/// BeginTransaction, Commit, Rollback and BatchWrite.
extension FirestoreService {
    package func beginTransaction(_ request: BeginTransactionRequest, for call: Call<BeginTransactionResponse>) {
        guard self.admits(call, to: .read, request.database) else { return }
        let database = self.database(request.database)
        self.begin(request.options ?? .unspecified, unspecified: .readWrite(), in: database, for: call) { id in
            call.respond(outcome: BeginTransactionResponse(transaction: id.bytes))
        }
    }

    package func commit(_ request: CommitRequest, for call: Call<CommitResponse>) {
        let access: Access = request.writes.isEmpty ? .read : .write
        guard self.admits(call, to: access, request.database) else { return }
        var transaction: TransactionID?
        if !request.transaction.isEmpty {
            transaction = self.transactionID(request.transaction, for: call)
            guard transaction != nil else { return }
        }
        let ticket = self.transactions.commit(
            database: self.database(request.database),
            transaction: transaction,
            writes: request.writes,
            reply: self.reply { result in
                guard let commit = call.value(result) else { return }
                call.respond(
                    outcome: CommitResponse(
                        writeResults: commit.results.map(WriteResultMessage.init),
                        commitTime: commit.commitTime
                    )
                )
            }
        )
        self.settle(ticket, with: call)
    }

    /// A commit whose writes could not be read ends its transaction like any other that fails for good.
    package func commitRefused(_ target: CommitTarget, by caller: Caller) {
        guard caller.mayWrite(target.database.string), let id = TransactionID(bytes: target.transaction) else { return }
        self.transactions.failCommit(transaction: id, database: self.database(target.database))
    }

    package func rollback(_ request: RollbackRequest, for call: Call<EmptyResponse>) {
        guard self.admits(call, to: .read, request.database) else { return }
        guard let id = self.transactionID(request.transaction, for: call) else { return }
        let reply: Reply<Void> = self.reply { result in
            if call.value(result) != nil { call.respond(outcome: EmptyResponse()) }
        }
        self.transactions.rollback(transaction: id, database: self.database(request.database), reply: reply)
    }

    package func batchWrite(_ request: BatchWriteRequest, for call: Call<BatchWriteResponse>) {
        guard self.admits(call, to: .write, request.database) else { return }
        let ticket = self.transactions.batchWrite(
            database: self.database(request.database),
            writes: request.writes,
            reply: self.reply { result in
                guard let results = call.value(result) else { return }
                // Some bulk writers repeat each write that failed, with whatever code; none repeats a call for this one.
                for case .failure(let error) in results {
                    if case .outcomeUnknown = error { return call.finish(Status(error)) }
                }
                var response = BatchWriteResponse(writeResults: [], statuses: [])
                for result in results {
                    switch result {
                    case .success(let write):
                        response.writeResults.append(WriteResultMessage(write))
                        response.statuses.append(.ok)
                    case .failure(let error):
                        response.writeResults.append(WriteResultMessage(updateTime: nil))
                        response.statuses.append(Status(error))
                    }
                }
                call.respond(outcome: response)
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
