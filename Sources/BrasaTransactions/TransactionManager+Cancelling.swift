import BrasaPlatform

/// Names a request that waits for locks, so that whoever asked can take it back.
///
/// Unchecked, because what it refers to is used only under the manager's lock.
package struct RequestTicket: @unchecked Sendable {
    fileprivate let request: LockRequest
}

extension TransactionManager {
    /// Runs one operation like `exclusively`; returns the ticket of the request that it left waiting, if it did.
    func waitable(
        _ operation: (_ now: MonotonicTime, inout Completions) -> Void
    ) -> RequestTicket? {
        var ticket: RequestTicket?
        self.exclusively { now, completions in
            self.lastWaiting = nil
            operation(now, &completions)
            ticket = self.lastWaiting.take().map { RequestTicket(request: $0) }
        }
        return ticket
    }

    /// Takes a request out of its queues if it still waits there: nobody wants its answer any more, and it gets none. A
    /// transaction lives on after a read of it was taken back, and ends with a commit. False when it was too late.
    @discardableResult
    package func cancel(_ ticket: RequestTicket) -> Bool {
        var isTakenBack = false
        self.exclusively { now, completions in
            let request = ticket.request
            guard request.isWaiting else { return }
            isTakenBack = true
            self.locks.cancel(request)
            self.drop(request)
            guard request.isCommit, let id = request.owner.transaction,
                let transaction = self.table.openTransaction(id)
            else { return }
            self.end(transaction, .aborted, now: now, &completions)
        }
        return isTakenBack
    }
}
