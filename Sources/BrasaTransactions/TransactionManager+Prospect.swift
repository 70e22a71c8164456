package import BrasaDocuments
import BrasaPlatform
package import BrasaStore

/// For commits that are judged before they are carried out.
extension TransactionManager {
    /// What these writes would do now. Throws what is wrong with them whatever is stored.
    package func prospect(
        of writes: [Write],
        in database: DatabaseHandle
    ) throws(TransactionError) -> CommitProspect {
        guard writes.count <= self.configuration.judgedWritesMax else {
            throw .tooManyWrites(allowed: self.configuration.judgedWritesMax)
        }
        if let refusal = self.configuration.refusal(of: writes, in: self.store) { throw refusal }
        let budget = self.configuration.judgedBudget(of: self.store)
        return CommitProspect(
            writes,
            in: database,
            of: self.store,
            now: self.clock.monotonic(),
            within: budget
        )
    }

    /// Answers when nothing that the prospect rests on can be lost any more: what was decided by it may then be told.
    package func confirm(_ prospect: CommitProspect, reply: Reply<Void>) {
        guard prospect.isUndurable else { return reply.complete(.success(())) }
        let waiter = Store.waiter(on: reply.mailbox) { outcome in
            reply.complete(outcome.storeError.map { .failure(TransactionError($0)) } ?? .success(()))
        }
        self.store.barrier(through: self.store.appliedTime, waiter)
    }
}
