package import BrasaDocuments

/// One message of the RunQuery stream.
package struct RunQueryResponse: Sendable {
    package var document: NamedDocument?
    package var readTime: Timestamp?
    package var skippedResults: Int32
    /// Alone, in the first message of a call with `new_transaction`.
    package var transaction: [UInt8]
    package var isDone: Bool
    package var metrics: ExplainMetrics?

    package init(
        document: NamedDocument? = nil,
        readTime: Timestamp?,
        skippedResults: Int32 = 0,
        transaction: [UInt8] = [],
        isDone: Bool = false,
        metrics: ExplainMetrics? = nil
    ) {
        self.document = document
        self.readTime = readTime
        self.skippedResults = skippedResults
        self.transaction = transaction
        self.isDone = isDone
        self.metrics = metrics
    }
}
