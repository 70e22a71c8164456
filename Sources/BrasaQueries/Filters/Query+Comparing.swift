package import BrasaDocuments

/// Queries that differ in nothing but the values that their filters compare with, as a prepared statement's do.
extension Query {
    /// What checking the query would come to if it had been asked with these values: one for each filter on a field, in
    /// their order. Nil where something else may depend on them: then it has to be checked.
    package func comparing(with operands: [Value]) -> Query? {
        guard let own = self.disjunctions.first, self.disjunctions.count == 1, let filter = self.filter,
            let terms = filter.termsComparing(with: operands), let conjunction = Conjunction(terms),
            conjunction.isLike(own, of: terms.count)
        else { return nil }
        let compared: Filter = if case .term = filter { .term(terms[0]) } else { .all(terms.map { .term($0) }) }
        return self.filtered(by: compared, [conjunction])
    }
}

extension Query.Filter {
    /// Nil unless this is one condition for each of the values, all of which must hold.
    fileprivate func termsComparing(with operands: [Value]) -> [Term]? {
        switch self {
        case .term(let term):
            guard operands.count == 1 else { return nil }
            return term.comparing(with: operands[0]).map { [$0] }
        case .all(let filters):
            guard filters.count == operands.count else { return nil }
            var terms: [Term] = []
            terms.reserveCapacity(filters.count)
            for (filter, operand) in zip(filters, operands) {
                guard case .term(let term) = filter, let compared = term.comparing(with: operand) else { return nil }
                terms.append(compared)
            }
            return terms
        case .any, .isIn, .containsAny: return nil
        }
    }
}

extension Conjunction {
    /// Whether the terms differ in their values alone. Both were made of `count` terms that do: so do these, if none was left out.
    fileprivate func isLike(_ other: Conjunction, of count: Int) -> Bool {
        guard self.terms.count == other.terms.count else { return false }
        return self.terms.count == count || zip(self.terms, other.terms).allSatisfy { $0.isLike($1) }
    }
}

extension Term {
    /// Nil for a value of another class, of which the query may say something else, and for names, which bound its scope.
    fileprivate func comparing(with operand: Value) -> Term? {
        guard !self.path.isDocumentName else { return nil }
        let valueClass = ValueClass(of: operand)
        guard !valueClass.isIncomparable else { return nil }
        switch self.condition {
        case .equal(let own):
            return ValueClass(of: own) == valueClass ? Term(self.path, .equal(operand)) : nil
        case .arrayContains(let own):
            return ValueClass(of: own) == valueClass ? Term(self.path, .arrayContains(operand)) : nil
        case .notEqual(let own):
            return ValueClass(of: own) == valueClass ? Term(self.path, .notEqual(operand)) : nil
        case .range(let range):
            return range.comparing(with: operand, of: valueClass).map { Term(self.path, .range($0)) }
        case .notIn, .isNotNull, .isNotNaN: return nil
        }
    }

    fileprivate func isLike(_ other: Term) -> Bool {
        let isOfKind =
            switch (self.condition, other.condition) {
            case (.equal, .equal), (.arrayContains, .arrayContains), (.range, .range), (.notEqual, .notEqual): true
            default: false
            }
        return isOfKind && self.path == other.path
    }
}

extension ValueRange {
    /// The range of one comparison, with another value.
    fileprivate func comparing(with operand: Value, of valueClass: ValueClass) -> ValueRange? {
        guard self.valueClass == valueClass else { return nil }
        switch (self.lower, self.upper) {
        case (let lower?, nil): return ValueRange(from: Bound(operand, isInclusive: lower.isInclusive))
        case (nil, let upper?): return ValueRange(to: Bound(operand, isInclusive: upper.isInclusive))
        default: return nil
        }
    }
}
