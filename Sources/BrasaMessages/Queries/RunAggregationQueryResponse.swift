package import BrasaDocuments

/// The one message of the RunAggregationQuery stream.
package struct RunAggregationQueryResponse: Sendable {
    package struct Field: Sendable {
        package var alias: UTF8Text
        package var value: Value

        package init(alias: UTF8Text, value: Value) {
            self.alias = alias
            self.value = value
        }
    }

    /// Nil when the query was only planned.
    package var result: [Field]?
    package var transaction: [UInt8]
    package var readTime: Timestamp?
    package var metrics: ExplainMetrics?

    package init(
        result: [Field]?,
        readTime: Timestamp?,
        transaction: [UInt8] = [],
        metrics: ExplainMetrics? = nil
    ) {
        self.result = result
        self.readTime = readTime
        self.transaction = transaction
        self.metrics = metrics
    }
}
