package import BrasaDocuments

/// Computes aggregations over documents given one after the other, in constant memory.
package struct AggregateAccumulator: Sendable {
    /// In the order in which they were asked for.
    package let aggregations: [Aggregation]
    private let neededFields: [FieldPath]
    private var count = 0
    /// For each needed field, what all aggregations of that field need.
    private var totals: [NumberTotal]

    package init(_ query: AggregationQuery) {
        self.aggregations = query.aggregations
        self.neededFields = query.neededFields
        self.totals = query.neededFields.map { _ in NumberTotal() }
    }

    /// Adds one of the query's results; without effect when it lacks a field that some aggregation names.
    package mutating func add(_ fields: EncodedFields) {
        var values: [Value] = []
        for path in self.neededFields {
            guard let value = fields.value(at: path) else { return }
            values.append(value)
        }
        self.count += 1
        for (index, value) in values.enumerated() { self.totals[index].add(value) }
    }

    /// Adds results of which only the number is known. For queries that count only.
    package mutating func add(count: Int) {
        self.count += count
    }

    /// What one of them comes to.
    package func value(of aggregation: Aggregation) -> Value {
        switch aggregation.operation {
        case .count(let upTo): .integer(Int64(min(self.count, upTo ?? .max)))
        case .sum(let path): self.total(of: path).sum
        case .average(let path): self.total(of: path).average
        }
    }

    private func total(of path: FieldPath) -> NumberTotal {
        self.neededFields.firstIndex(of: path).map { self.totals[$0] } ?? NumberTotal()
    }
}
