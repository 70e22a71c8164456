internal import BrasaDocuments
internal import BrasaQueries

/// Something that the server computes over the results of a query.
public final class AggregateField: Sendable {
    enum Operation: Hashable, Sendable {
        case count
        case sum(FieldPath)
        case average(FieldPath)
    }

    let operation: Operation

    private init(_ operation: Operation) {
        self.operation = operation
    }

    /// How many there are.
    public static func count() -> AggregateField { AggregateField(.count) }

    /// The sum of a field's numbers: an integer when all are and it fits, otherwise a double.
    public static func sum(_ field: String) -> AggregateField { AggregateField(.sum(FieldPath(text: field))) }
    public static func sum(_ fieldPath: FieldPath) -> AggregateField { AggregateField(.sum(fieldPath)) }

    /// The average of a field's numbers; `NSNull` when there are none.
    public static func average(_ field: String) -> AggregateField { AggregateField(.average(FieldPath(text: field))) }
    public static func average(_ fieldPath: FieldPath) -> AggregateField { AggregateField(.average(fieldPath)) }

    var structured: StructuredAggregationQuery.Operation {
        get throws(UsageError) {
            switch self.operation {
            case .count: .count(upTo: nil)
            case .sum(let path): .sum(try path.stored)
            case .average(let path): .average(try path.stored)
            }
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
