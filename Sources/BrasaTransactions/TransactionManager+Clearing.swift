package import BrasaDocuments
import BrasaPlatform
package import BrasaStore

extension TransactionManager {
    /// Deletes all documents of a database and ends its open transactions, whatever they hold. The answer is the time from
    /// which on nothing is there.
    ///
    /// Others may commit between the steps. The last one deletes what they wrote and everything that is left, under the
    /// lock; it reads all names that were there and writes little.
    package func clear(database: DatabaseHandle, reply: Reply<Timestamp>) {
        var position: Store.ClearPosition? = .start
        while let from = position {
            var failure: TransactionError?
            self.exclusively { now, completions in
                self.endAll(in: database, now: now, &completions)
                do throws(StoreError) {
                    position = try self.store.clear(database, from: from)
                } catch {
                    failure = TransactionError(error)
                }
            }
            if let failure { return reply.complete(.failure(failure)) }
        }
        self.exclusively { now, completions in
            self.endAll(in: database, now: now, &completions)
            do throws(StoreError) {
                _ = try self.store.clear(database, waiter: nil)
                let time = self.store.appliedTime
                self.addOnceDurable(to: reply, isCaller: true, &completions) { .success(time) }
            } catch {
                completions.add(to: reply, isCaller: true, .failure(TransactionError(error)))
            }
        }
    }

    private func endAll(in database: DatabaseHandle, now: MonotonicTime, _ completions: inout Completions) {
        for transaction in self.table.openTransactions(in: database) {
            self.end(transaction, .aborted, now: now, &completions)
        }
    }
}
