import BrasaDocuments
import BrasaPlatform
import BrasaStore

/// Ends that come from outside.
extension WriterSection {
    mutating func failCommit(of id: TransactionID, in database: DatabaseHandle, _ visit: inout Visit) {
        guard case .open(let transaction) = self.find(id, in: database, &visit) else { return }
        if case .committing = transaction.state { return }
        self.end(transaction, .commitFailed, &visit)
    }

    /// One step of clearing a database; where to go on, nil at the end.
    mutating func clear(
        _ database: DatabaseHandle,
        from position: Store.ClearPosition,
        _ visit: inout Visit
    ) -> Result<Store.ClearPosition?, TransactionError> {
        self.endAll(in: database, &visit)
        do throws(StoreError) {
            return .success(try self.store.clear(database, from: position))
        } catch {
            return .failure(TransactionError(error))
        }
    }

    /// What others brought there between the steps, and the answer.
    mutating func clearRest(of database: DatabaseHandle, _ reply: Reply<Timestamp>, _ visit: inout Visit) {
        self.endAll(in: database, &visit)
        do throws(StoreError) {
            _ = try self.store.clear(database, waiter: nil)
            let time = self.store.appliedTime
            visit.answer(reply, onceDurable: time, in: self.store) { .success(time) }
        } catch {
            visit.answer(reply, .failure(TransactionError(error)))
        }
    }
}
