package import BrasaDocuments

package struct CommitRequest: Sendable {
    package var database: DatabaseName
    /// In the request's order, all in that database.
    package var writes: [Write]
    /// Empty outside a transaction.
    package var transaction: [UInt8]

    package init(database: DatabaseName, writes: [Write], transaction: [UInt8] = []) {
        self.database = database
        self.writes = writes
        self.transaction = transaction
    }
}

/// Whom a Commit is for: what can be said of a request whose writes are refused.
package struct CommitTarget: Hashable, Sendable {
    package let database: DatabaseName
    /// Empty outside a transaction.
    package let transaction: [UInt8]

    package init(database: DatabaseName, transaction: [UInt8]) {
        self.database = database
        self.transaction = transaction
    }
}
