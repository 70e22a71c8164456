internal import BrasaDocuments
package import BrasaQueries

extension QueryCaseGenerator {
    /// The same query with other operands in its filter, most of them of the same kinds.
    package mutating func varied(_ query: StructuredQuery) -> StructuredQuery {
        var other = query
        other.filter = query.filter.map { self.varied($0) }
        return other
    }

    private mutating func varied(_ filter: StructuredQuery.Filter) -> StructuredQuery.Filter {
        switch filter {
        case .unset, .unary: return filter
        case .composite(let op, let filters): return .composite(op, filters.map { self.varied($0) })
        case .field(let path, let op, let value):
            guard let value else { return filter }
            return .field(path, op, self.random.chance(12) ? self.anyValue() : self.varied(value))
        }
    }

    private mutating func varied(_ value: Value) -> Value {
        switch value {
        case .integer, .double: self.number()
        case .string(let text): .string(UTF8Text(text.string + self.random.pick(["", "a", "b"])))
        case .boolean: .boolean(self.random.chance(2))
        default: value
        }
    }
}
