internal import BrasaDocuments

/// Terms that must all hold: one way in which a filter can be true. No two terms say anything superfluous about each
/// other: a field has one `equal` and then nothing but `arrayContains`, or at most one `range`.
package struct Conjunction: Hashable, Sendable {
    package let terms: [Term]

    /// No terms: every document.
    package static let always = Conjunction()

    private init() {
        self.terms = []
    }

    /// Nil when the terms contradict each other.
    package init?(_ terms: [Term]) {
        if Self.areOfDifferentFields(terms) {
            self.terms = terms
            return
        }
        var kept: [Term] = []
        for term in terms where !kept.contains(term) {
            if case .range(let range) = term.condition, let index = Self.rangeIndex(in: kept, for: term.path),
                case .range(let other) = kept[index].condition
            {
                guard let common = range.intersection(other) else { return nil }
                kept[index] = Term(term.path, .range(common))
            } else {
                kept.append(term)
            }
        }
        guard let simplified = Self.simplified(kept) else { return nil }
        self.terms = simplified
    }

    /// Such terms say nothing about each other. Looked into for as many as queries usually have.
    private static func areOfDifferentFields(_ terms: [Term]) -> Bool {
        guard terms.count <= 4 else { return false }
        return terms.indices.allSatisfy { index in !terms[..<index].contains { $0.path == terms[index].path } }
    }

    /// Where a value is given exactly, the other terms of that field are decided.
    private static func simplified(_ terms: [Term]) -> [Term]? {
        var kept: [Term] = []
        for term in terms {
            let value = self.equal(in: terms, for: term.path)
            guard let value, term.condition != .equal(value) else {
                kept.append(term)
                continue
            }
            guard term.matches(value) else { return nil }
        }
        return kept
    }

    private static func equal(in terms: [Term], for path: FieldPath) -> Value? {
        for term in terms where term.path == path {
            if case .equal(let value) = term.condition { return value }
        }
        return nil
    }

    private static func rangeIndex(in terms: [Term], for path: FieldPath) -> Int? {
        terms.firstIndex { term in
            if case .range = term.condition { term.path == path } else { false }
        }
    }
}

extension Query.Filter {
    /// The filter in disjunctive normal form, without ways that cannot be. The number of ways was bounded by the checks.
    package var disjunctions: [Conjunction] {
        if let terms = self.terms { return Conjunction(terms).map { [$0] } ?? [] }
        var conjunctions: [Conjunction] = []
        for terms in self.ways {
            guard let conjunction = Conjunction(terms), !conjunctions.contains(conjunction) else { continue }
            conjunctions.append(conjunction)
        }
        return conjunctions
    }

    /// Nil when there are several ways, or none.
    private var terms: [Term]? {
        switch self {
        case .term(let term): return [term]
        case .all(let filters):
            var terms: [Term] = []
            terms.reserveCapacity(filters.count)
            for filter in filters {
                guard case .term(let term) = filter else { return nil }
                terms.append(term)
            }
            return terms
        case .any, .isIn, .containsAny: return nil
        }
    }

    private var ways: [[Term]] {
        switch self {
        case .term(let term): [[term]]
        case .isIn(let path, let values): values.map { [Term(path, .equal($0))] }
        case .containsAny(let path, let values): values.map { [Term(path, .arrayContains($0))] }
        case .any(let filters): filters.flatMap(\.ways)
        case .all(let filters):
            filters.reduce([[]]) { ways, filter in
                let added = filter.ways
                return ways.flatMap { way in added.map { way + $0 } }
            }
        }
    }
}
