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
            if term.path.isDocumentName { return term.matches(.reference(name)) }
            guard let value = fields.encodedValue(at: term.path) else { return false }
            return term.matches(candidate: EncodedValue(canonical: value))
        case .isIn(let path, let operands):
            if path.isDocumentName { return operands.contains(.reference(name)) }
            guard let value = fields.encodedValue(at: path).map(EncodedValue.init(canonical:)) else { return false }
            return operands.contains { value.compare(to: $0) == .same }
        case .containsAny(let path, let operands):
            guard let value = fields.encodedValue(at: path) else { return false }
            return EncodedValue(canonical: value).hasElement(among: operands)
        }
    }
}
