package import BrasaDocuments

package struct BeginTransactionRequest: Sendable {
    package var database: DatabaseName
    /// Nil when absent, which means the same as `.unspecified`: read-write.
    package var options: TransactionOptions?

    package init(database: DatabaseName, options: TransactionOptions? = nil) {
        self.database = database
        self.options = options
    }
}

package struct RollbackRequest: Sendable {
    package var database: DatabaseName
    package var transaction: [UInt8]

    package init(database: DatabaseName, transaction: [UInt8]) {
        self.database = database
        self.transaction = transaction
    }
}
