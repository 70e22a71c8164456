package struct BeginTransactionResponse: Sendable {
    package var transaction: [UInt8]

    package init(transaction: [UInt8]) {
        self.transaction = transaction
    }
}

/// What Rollback and DeleteDocument answer: a message without fields.
package struct EmptyResponse: Sendable {
    package init() {}
}
