package import BrasaDocuments

/// A StructuredAggregationQuery as it was asked for; `AggregationQuery` checks it.
package struct StructuredAggregationQuery: Hashable, Sendable {
    /// Nil stands for every direct child document of the parent.
    package var query: StructuredQuery?
    package var aggregations: [Aggregation]

    package init(query: StructuredQuery?, aggregations: [Aggregation]) {
        self.query = query
        self.aggregations = aggregations
    }

    package struct Aggregation: Hashable, Sendable {
        /// Nil where the message had none, or one that the protocol does not know.
        package var operation: Operation?
        /// Empty when the server shall choose one. Unchecked.
        package var alias: UTF8Text

        package init(_ operation: Operation?, alias: UTF8Text = "") {
            self.operation = operation
            self.alias = alias
        }
    }

    package enum Operation: Hashable, Sendable {
        /// As sent, perhaps negative; nil is no bound.
        case count(upTo: Int64?)
        /// Nil where the message had no field.
        case sum(FieldPath?)
        case average(FieldPath?)
    }
}
