package import BrasaDocuments
package import BrasaMessages
import BrasaStatus
import BrasaStore
import BrasaTransactions
import NIOCore

extension FirestoreService {
    private static let pauseBeforeGoingOn: TimeAmount = .milliseconds(20)

    /// Deletes every document of a database and ends its open transactions, so that what a test left behind holds up
    /// nothing. `done` is called on the service's event loop, with nil when everything is gone for good.
    package func clear(_ name: DatabaseName, done: @escaping @Sendable (Status?) -> Void) {
        self.transactions.clear(
            database: self.store.database(name),
            reply: self.reply { result in
                switch result {
                case .success: done(nil)
                case .failure(let error) where error.code == .resourceExhausted:
                    // So many deletions wait for the disk that no more are taken: what is left is deleted next.
                    self.eventLoop.scheduleTask(in: Self.pauseBeforeGoingOn) { self.clear(name, done: done) }
                case .failure(let error): done(Status(error))
                }
            }
        )
    }
}
