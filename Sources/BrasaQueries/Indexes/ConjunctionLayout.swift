import BrasaDocuments

/// What of a conjunction's shape does not depend on its values: which of its terms stand where in an index's keys. Queries
/// that differ in values alone share it.
package final class ConjunctionLayout: Sendable {
    /// A term whose value is a part of the keys.
    package struct BoundPart: Sendable {
        package let part: IndexDefinition.Part
        let term: Int
    }

    /// What a clause of the query's order is in the keys.
    enum SortPart: Sendable {
        /// One of the known parts.
        case constant(Int)
        case field(ResultOrder.Clause)
        case name
    }

    /// Equalities sorted by canonical path, then a contained element if any.
    package let bound: [BoundPart]
    let sortParts: [SortPart]
    /// The clauses of the order that stand in the suffix, the name aside.
    package let sortFields: [ResultOrder.Clause]
    package let isReversed: Bool
    /// The term that names the one document which the conjunction allows.
    let pinned: Int?

    package init(_ conjunction: Conjunction, of query: Query) {
        var equalities: [(text: UTF8Text, part: BoundPart)] = []
        var contained: BoundPart?
        var pinned: Int?
        for (index, term) in conjunction.terms.enumerated() {
            switch term.condition {
            case .equal(.reference) where term.path.isDocumentName: pinned = index
            case .equal:
                let part = BoundPart(part: IndexDefinition.Part(term.path, .ascending), term: index)
                equalities.append((text: UTF8Text(term.path.canonical), part: part))
            case .arrayContains:
                contained = BoundPart(part: IndexDefinition.Part(term.path, .contains), term: index)
            default: break
            }
        }
        equalities.sort { $0.text < $1.text }
        self.bound = equalities.map(\.part) + (contained.map { [$0] } ?? [])
        self.pinned = pinned
        self.isReversed = query.order.clauses.last?.isDescending ?? false
        self.sortParts = query.order.clauses.map { clause in
            if clause.path.isDocumentName { return .name }
            return equalities.firstIndex { $0.part.part.path == clause.path }.map { .constant($0) } ?? .field(clause)
        }
        self.sortFields = self.sortParts.compactMap { if case .field(let clause) = $0 { clause } else { nil } }
    }

    /// Whether suffixes are whole keys of the query's order, or their complements.
    package var hasConstants: Bool {
        self.sortParts.contains { if case .constant = $0 { true } else { false } }
    }
}
