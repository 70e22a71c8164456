package import BrasaDocuments

/// A conjunction of a query as an index sees it: some parts of the keys are known, and behind them stand the fields of
/// the query's order that are not, and the name. The latter two are a key's suffix; every index with this suffix gives
/// out the conjunction's documents in the query's order.
///
/// Indexes have ascending names. A query with descending ones reads them backwards, so that it shares the index of the
/// query with all directions reversed.
package struct ConjunctionShape: Sendable {
    /// A part of a key that is known.
    package struct BoundPart: Sendable {
        package let part: IndexDefinition.Part
        package let key: [UInt8]
    }

    /// What a clause of the query's order is in the keys.
    package enum SortPart: Sendable {
        /// Known: all of the conjunction's documents have this value.
        case constant([UInt8])
        case field(ResultOrder.Clause)
        case name
    }

    package let names: NameRange
    package let order: ResultOrder
    package let terms: [Term]
    /// Equalities sorted by canonical path, then a contained element if any.
    package let bound: [BoundPart]
    package let sortParts: [SortPart]
    package let isReversed: Bool
    /// The one document that the conjunction allows.
    package let pinned: ResourcePath?

    package init(_ conjunction: Conjunction, of query: Query) {
        var equalities: [FieldPath: BoundPart] = [:]
        var contained: BoundPart?
        var pinned: ResourcePath?
        for term in conjunction.terms {
            switch term.condition {
            case .equal(.reference(let name)) where term.path.isDocumentName: pinned = name.path
            case .equal(let value):
                equalities[term.path] = BoundPart(
                    part: IndexDefinition.Part(term.path, .ascending),
                    key: OrderPreservingKey(value).bytes
                )
            case .arrayContains(let value):
                contained = BoundPart(
                    part: IndexDefinition.Part(term.path, .contains),
                    key: OrderPreservingKey(value).bytes
                )
            default: break
            }
        }
        let sorted = equalities.values.map { (text: UTF8Text($0.part.path.canonical), part: $0) }
            .sorted { $0.text < $1.text }
            .map(\.part)
        self.bound = sorted + (contained.map { [$0] } ?? [])
        self.pinned = pinned
        self.names = query.names
        self.order = query.order
        self.terms = conjunction.terms
        self.isReversed = query.order.clauses.last?.isDescending ?? false
        self.sortParts = query.order.clauses.map { clause in
            if clause.path.isDocumentName { return .name }
            return equalities[clause.path].map { .constant($0.key) } ?? .field(clause)
        }
    }

    /// The clauses of the order that stand in the suffix, the name aside.
    package var sortFields: [ResultOrder.Clause] {
        self.sortParts.compactMap { if case .field(let clause) = $0 { clause } else { nil } }
    }

    /// Whether suffixes are whole keys of the query's order, or their complements.
    package var hasConstants: Bool {
        self.sortParts.contains { if case .constant = $0 { true } else { false } }
    }

    package var scope: IndexDefinition.Scope {
        guard self.names.allDescendants else { return .collection }
        // In the order of names what is below a document is side by side in the whole group's index as well.
        return self.names.parent.isRoot || self.sortFields.isEmpty ? .collectionGroup : .collectionRecursive
    }

    /// The index with these known parts and the suffix. Nil for queries of any collection.
    package func definition(_ bound: [BoundPart]) -> IndexDefinition? {
        guard let collectionID = self.names.collectionID else { return nil }
        let sorted = self.sortFields.map { clause in
            IndexDefinition.Part(clause.path, clause.isDescending == self.isReversed ? .ascending : .descending)
        }
        return IndexDefinition(collectionID: collectionID, scope: self.scope, parts: bound.map(\.part) + sorted)
    }

    /// The index that has exactly the conjunction's documents side by side. Nil when none has: for queries of any
    /// collection.
    package var idealDefinition: IndexDefinition? {
        if self.bound.isEmpty, self.sortFields.isEmpty { return nil }
        return self.definition(self.bound)
    }
}
