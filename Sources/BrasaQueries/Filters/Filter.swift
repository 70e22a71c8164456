package import BrasaDocuments

extension Query {
    /// A checked filter. What can never hold (`EQUAL` null, for example) is `any` of nothing.
    package indirect enum Filter: Hashable, Sendable {
        /// No filters: true.
        case all([Filter])
        /// No filters: false.
        case any([Filter])
        case term(Term)
        /// Equal to one of the values, none of which is null or NaN.
        case isIn(FieldPath, [Value])
        /// An array with an element equal to one of the values, none of which is null, NaN or an array.
        case containsAny(FieldPath, [Value])
    }
}

extension Query.Filter {
    /// Whether the filter holds for a document, wherever it is.
    package func matches(_ name: DocumentName, _ fields: EncodedFields) -> Bool {
        switch self {
        case .all(let filters): return filters.allSatisfy { $0.matches(name, fields) }
        case .any(let filters): return filters.contains { $0.matches(name, fields) }
        case .term(let term):
            guard let value = Self.value(at: term.path, name, fields) else { return false }
            return term.matches(value)
        case .isIn(let path, let operands):
            guard let value = Self.value(at: path, name, fields) else { return false }
            return operands.contains(value)
        case .containsAny(let path, let operands):
            guard case .array(let elements)? = fields.value(at: path) else { return false }
            return elements.contains { operands.contains($0) }
        }
    }

    private static func value(at path: FieldPath, _ name: DocumentName, _ fields: EncodedFields) -> Value? {
        path.isDocumentName ? .reference(name) : fields.value(at: path)
    }
}
