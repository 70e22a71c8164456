package import BrasaDocuments
package import BrasaGRPC
import BrasaQueries
import BrasaStore
import BrasaTransactions
import NIOCore

extension FirestoreService {
    /// Documents deleted in one commit.
    private static let clearedChunk = 500

    /// Deletes every document of a database, in commits of some hundred that pass the same door as all others. What is
    /// written meanwhile may stay. `done` is called on the service's event loop, with nil when nothing is left.
    package func clear(_ name: DatabaseName, done: @escaping @Sendable (GRPCStatus?) -> Void) {
        let database = self.store.database(name)
        let everything = NameRange(parent: .root, collectionID: nil, allDescendants: true)
        let writes: [Write]
        do throws(StoreError) {
            var scan = try self.store.scan(everything, in: database, at: self.store.strongReadTime())
            writes = try scan.next(Self.clearedChunk).compactMap { entry in
                DocumentName(database: name, path: entry.path).map { Write(name: $0, operation: .delete) }
            }
        } catch {
            return done(GRPCStatus(error))
        }
        guard !writes.isEmpty else { return done(nil) }
        self.transactions.commit(
            database: database,
            transaction: nil,
            writes: writes,
            reply: self.reply { result in
                switch result {
                case .success: self.eventLoop.execute { self.clear(name, done: done) }
                case .failure(let error): done(GRPCStatus(error))
                }
            }
        )
    }
}
