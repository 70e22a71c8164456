package import BrasaDocuments

/// Why a query was refused. The reason carries the facts; code and text are made from it.
package struct QueryError: Error, Hashable, Sendable {
    package enum Code: Hashable, Sendable {
        case invalidArgument, failedPrecondition
    }

    package let reason: Reason

    package init(_ reason: Reason) {
        self.reason = reason
    }

    package var code: Code {
        switch self.reason {
        case .zeroMagnitude: .failedPrecondition
        default: .invalidArgument
        }
    }
}

extension QueryError {
    package enum Reason: Hashable, Sendable {
        /// An invalid name, path or value in the query.
        case document(DocumentError)

        // Source, offset and limit
        case severalSelectors
        case kindRequiredForFilter(FieldPath)
        case kindRequiredForOrder
        case negativeLimit
        case negativeOffset

        // Filters
        case filterTypeUnset
        case filterNotReference
        case keyIsReserved
        case nameEqualityWithInequality
        case emptyOr
        case compositeOperatorUnspecified
        case fieldOperatorUnspecified
        case unaryOperatorUnspecified
        case operandNotArray(StructuredQuery.Filter.FieldOperator)
        case operandEmpty(StructuredQuery.Filter.FieldOperator)
        case operandTooLong(StructuredQuery.Filter.FieldOperator)
        case tooManyDisjunctions(Int)
        case severalArrayContains
        case severalNegations
        case notInWithDisjunction
        case tooManyInequalityFields([FieldPath])
        case tooManyClauses

        // Order and cursors
        case fieldsAfterKey
        case duplicateOrder(FieldPath)
        case cursorTooLong
        case cursorNotReference

        // Aggregations
        case noAggregations
        case tooManyAggregations(Int)
        case aggregationWithoutOperator
        case aggregationOfName
        case summedAfterKey([FieldPath])
        case duplicateAlias(UTF8Text)
        case negativeUpTo

        // Nearest neighbours
        case nearestNotSupported(Clause)
        case nearestWithoutVector
        case nearestLimit
        case unknownDistanceMeasure
        /// Also found while documents are read.
        case zeroMagnitude

        // Partitions
        case partitionWithoutQuery
        case partitionCountNotPositive
        case partitionNotSupported(Clause)
        case partitionOfCollection
        case partitionOrder
    }

    /// A part of a query that another part does not allow.
    package enum Clause: Hashable, Sendable {
        case limit, offset, cursors, projection, filters, ancestor, nearest
    }
}
