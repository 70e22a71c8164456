package import BrasaDocuments

/// Why a query was refused.
package struct QueryError: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        case severalSelectors
        case kindRequiredForFilter(FieldPath)
        case kindRequiredForOrder
        case fieldsAfterKey
        case duplicateOrder(FieldPath)
        case negativeLimit
        case negativeOffset
        case cursorTooLong
        case cursorNotReference
        case filterNotReference
        case keyIsReserved
        /// A legal query that is not answered yet: filters and orders by fields.
        case unimplemented(String)
        /// An invalid name or id in the query.
        case document(DocumentError)
    }

    package enum Code: Hashable, Sendable {
        case invalidArgument, unimplemented
    }

    package let reason: Reason

    package init(_ reason: Reason) {
        self.reason = reason
    }

    package var code: Code {
        if case .unimplemented = self.reason { .unimplemented } else { .invalidArgument }
    }
}

extension QueryError: CustomStringConvertible {
    package var description: String { self.message }

    /// The text that clients see.
    package var message: String {
        switch self.reason {
        case .severalSelectors: "StructuredQuery.from cannot have more than one collection selector."
        case .kindRequiredForFilter(let path): "kind is required for filter: \(path.canonical)"
        case .kindRequiredForOrder: "kind is required for all orders except __key__ ascending"
        case .fieldsAfterKey: "order by clause cannot contain more fields after the key"
        case .duplicateOrder(let path):
            "order by clause cannot contain duplicate fields \(path.isDocumentName ? "__key__" : path.canonical)"
        case .negativeLimit: "limit is negative"
        case .negativeOffset: "offset is negative"
        case .cursorTooLong: "Cursor has too many values."
        case .cursorNotReference: "Cursor __key__ value is not a document reference."
        case .filterNotReference: "__key__ filter value must be a Key"
        case .keyIsReserved: "the name __key__ is reserved"
        case .unimplemented(let what): "\(what) are not supported yet."
        case .document(let error): error.message
        }
    }
}
