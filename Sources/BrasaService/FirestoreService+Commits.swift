import BrasaDocuments
package import BrasaIdentity
package import BrasaMessages
import BrasaRules
import BrasaStore
import BrasaTransactions

/// BeginTransaction, Commit, Rollback and BatchWrite.
extension FirestoreService {
    package func beginTransaction(_ request: BeginTransactionRequest, for call: Call<BeginTransactionResponse>) {
        guard self.admitsUnjudged(call, to: .read, request.database) else { return }
        let database = self.database(request.database)
        self.begin(request.options ?? .unspecified, unspecified: .readWrite(), in: database, for: call) { id in
            call.respond(outcome: BeginTransactionResponse(transaction: id.bytes))
        }
    }

    package func commit(_ request: CommitRequest, for call: Call<CommitResponse>) {
        let access: Access = request.writes.isEmpty ? .read : .write
        var judge: CallJudge?
        guard self.admits(call, to: access, request.database, &judge) else { return }
        var transaction: TransactionID?
        if !request.transaction.isEmpty {
            transaction = self.transactionID(request.transaction, for: call)
            guard transaction != nil else { return }
        }
        let database = self.database(request.database)
        // One without writes shows and changes nothing.
        if let judge, !request.writes.isEmpty {
            let order = JudgedCommit.Order(database: database, transaction: transaction, writes: request.writes)
            return self.commit(order, by: judge, for: call) { call.respond(outcome: CommitResponse($0)) }
        }
        let ticket = self.transactions.commit(
            database: database,
            transaction: transaction,
            writes: request.writes,
            reply: self.reply { result in
                guard let commit = call.value(result) else { return }
                call.respond(outcome: CommitResponse(commit))
            }
        )
        self.settle(ticket, with: call)
    }

    /// A commit whose writes could not be read ends its transaction like any other that fails for good.
    package func commitRefused(_ target: CommitTarget, by caller: Caller) {
        guard
            caller.mayWrite(target.database.string) || self.judge(for: caller, in: target.database) != nil
                || self.owns(caller, target.database),
            let id = TransactionID(bytes: target.transaction)
        else { return }
        self.transactions.failCommit(transaction: id, database: self.database(target.database))
    }

    package func rollback(_ request: RollbackRequest, for call: Call<EmptyResponse>) {
        guard self.admitsUnjudged(call, to: .read, request.database) else { return }
        guard let id = self.transactionID(request.transaction, for: call) else { return }
        let reply: Reply<Void> = self.reply { result in
            if call.value(result) != nil { call.respond(outcome: EmptyResponse()) }
        }
        self.transactions.rollback(transaction: id, database: self.database(request.database), reply: reply)
    }

    package func batchWrite(_ request: BatchWriteRequest, for call: Call<BatchWriteResponse>) {
        guard self.admitsAdministrator(call, to: .write, request.database, else: .batchWrite) else { return }
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

extension CommitResponse {
    fileprivate init(_ result: CommitResult) {
        self.init(writeResults: result.results.map(WriteResultMessage.init), commitTime: result.commitTime)
    }
}

extension WriteResultMessage {
    init(_ result: WriteResult) {
        self.init(updateTime: result.updateTime, transformResults: result.transformResults)
    }
}
