internal import BrasaDocuments
internal import BrasaQueries

/// Something that the server computes over the results of a query.
public final class AggregateField: Sendable {
    enum Operation: Hashable, Sendable {
        case count
        case sum(BrasaDocuments.FieldPath)
        case average(BrasaDocuments.FieldPath)
    }

    let operation: Operation

    private init(_ operation: Operation) {
        self.operation = operation
    }

    /// How many there are.
    public static func count() -> AggregateField { AggregateField(.count) }

    /// The sum of a field's numbers: an integer when all are and it fits, otherwise a double.
    public static func sum(_ field: String) -> AggregateField { AggregateField(.sum(self.path(field))) }
    public static func sum(_ fieldPath: FieldPath) -> AggregateField { AggregateField(.sum(fieldPath.stored)) }

    /// The average of a field's numbers; `NSNull` when there are none.
    public static func average(_ field: String) -> AggregateField { AggregateField(.average(self.path(field))) }
    public static func average(_ fieldPath: FieldPath) -> AggregateField { AggregateField(.average(fieldPath.stored)) }

    private static func path(_ field: String) -> BrasaDocuments.FieldPath {
        trapping { () throws(UsageError) in try FieldPath(dotted: field).stored }
    }

    var structured: StructuredAggregationQuery.Operation {
        switch self.operation {
        case .count: .count(upTo: nil)
        case .sum(let path): .sum(path)
        case .average(let path): .average(path)
        }
    }
}

/// By what is computed.
extension AggregateField: Hashable, CustomStringConvertible {
    public static func == (left: AggregateField, right: AggregateField) -> Bool {
        left.operation == right.operation
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.operation)
    }

    public var description: String { "<AggregateField: \(self.operation)>" }
}
