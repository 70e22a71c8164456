import BrasaPlatform
import BrasaStore

extension TransactionManager {
    /// What time brings: requests that waited too long, transactions whose time is up, endings to forget. A background
    /// step, to be called a few times a second.
    package func tick() {
        self.exclusively { now, completions in
            self.refuseOverdue(now: now, &completions)
            for transaction in self.table.takeExpired(now: now) {
                self.end(transaction, .expired, now: now, &completions)
            }
            self.table.forgetEnded(now: now)
            self.locks.heat.forgetCold(now: now)
        }
    }

    private func refuseOverdue(now: MonotonicTime, _ completions: inout Completions) {
        while let request = self.deadlines.first, !request.isWaiting || request.isOverdue(now) {
            self.deadlines.popFirst()
            guard request.isWaiting else { continue }
            self.locks.cancel(request)
            self.refuse(request, .tooMuchContention, &completions)
            guard let id = request.owner.transaction, let transaction = self.table.openTransaction(id) else {
                continue
            }
            self.end(transaction, .aborted, now: now, &completions)
        }
    }
}
