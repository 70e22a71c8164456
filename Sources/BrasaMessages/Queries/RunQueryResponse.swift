package import BrasaDocuments

/// One message of the RunQuery stream.
///
/// Nearly all of them have a document and a time and nothing else. The rest stands apart: a larger response would be copied
/// and destroyed at each step of its way.
package struct RunQueryResponse: Sendable {
    package var document: NamedDocument?
    package var readTime: Timestamp?
    private let rest: Rest?

    /// What few responses have.
    private final class Rest: Sendable {
        let skippedResults: Int32
        let transaction: [UInt8]
        let isDone: Bool
        let metrics: ExplainMetrics?

        init(skippedResults: Int32, transaction: [UInt8], isDone: Bool, metrics: ExplainMetrics?) {
            self.skippedResults = skippedResults
            self.transaction = transaction
            self.isDone = isDone
            self.metrics = metrics
        }
    }

    package init(document: NamedDocument, readTime: Timestamp) {
        self.document = document
        self.readTime = readTime
        self.rest = nil
    }

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
        let isPlain = skippedResults == 0 && transaction.isEmpty && !isDone && metrics == nil
        self.rest =
            isPlain
            ? nil
            : Rest(skippedResults: skippedResults, transaction: transaction, isDone: isDone, metrics: metrics)
    }

    /// Whether there is nothing but a document and a time.
    package var isPlain: Bool { self.rest == nil }
    package var skippedResults: Int32 { self.rest?.skippedResults ?? 0 }
    /// Alone, in the first message of a call with `new_transaction`.
    package var transaction: [UInt8] { self.rest?.transaction ?? [] }
    package var isDone: Bool { self.rest?.isDone ?? false }
    package var metrics: ExplainMetrics? { self.rest?.metrics }

    /// The same with what there is to explain.
    package func explained(by metrics: ExplainMetrics?) -> RunQueryResponse {
        RunQueryResponse(
            document: self.document,
            readTime: self.readTime,
            skippedResults: self.skippedResults,
            transaction: self.transaction,
            isDone: self.isDone,
            metrics: metrics
        )
    }
}
