package import BrasaDocuments
package import BrasaQueries

package struct RunAggregationQueryRequest: Sendable {
    package var parent: ParentName
    /// Nil when the request has no structured aggregation query.
    package var query: StructuredAggregationQuery?
    package var consistency: ReadConsistency
    /// Nil when no explanation is asked for.
    package var explain: ExplainOptions?

    package init(
        parent: ParentName,
        query: StructuredAggregationQuery?,
        consistency: ReadConsistency = .strong,
        explain: ExplainOptions? = nil
    ) {
        self.parent = parent
        self.query = query
        self.consistency = consistency
        self.explain = explain
    }
}
