package import BrasaDocuments
package import BrasaQueries

package struct RunQueryRequest: Sendable {
    package var parent: ParentName
    /// Nil when the request has no structured query.
    package var query: StructuredQuery?
    package var consistency: ReadConsistency
    /// Nil when no explanation is asked for.
    package var explain: ExplainOptions?

    package init(
        parent: ParentName,
        query: StructuredQuery?,
        consistency: ReadConsistency = .strong,
        explain: ExplainOptions? = nil
    ) {
        self.parent = parent
        self.query = query
        self.consistency = consistency
        self.explain = explain
    }
}
