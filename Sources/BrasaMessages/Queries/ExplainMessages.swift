package struct ExplainOptions: Hashable, Sendable {
    /// Whether to run the query as well.
    package var analyze: Bool

    package init(analyze: Bool) {
        self.analyze = analyze
    }
}

/// How a query was or would be run.
package struct ExplainMetrics: Hashable, Sendable {
    /// The plan: a struct for each index that is read. Nil when it was left out.
    package var indexesUsed: [StructMessage]?
    /// Nil when the query was not run.
    package var execution: ExecutionStatistics?

    package init(indexesUsed: [StructMessage]?, execution: ExecutionStatistics? = nil) {
        self.indexesUsed = indexesUsed
        self.execution = execution
    }
}

package struct ExecutionStatistics: Hashable, Sendable {
    package var resultsReturned: Int64
    /// In whole nanoseconds.
    package var duration: Duration
    package var readOperations: Int64
    package var debug: StructMessage

    package init(resultsReturned: Int64, duration: Duration, readOperations: Int64, debug: StructMessage) {
        self.resultsReturned = resultsReturned
        self.duration = duration
        self.readOperations = readOperations
        self.debug = debug
    }
}
