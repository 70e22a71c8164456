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
    enum SortPart: Sendable {
        /// Known: all of the conjunction's documents have this value.
        case constant([UInt8])
        case field(ResultOrder.Clause)
        case name
    }

    package let names: NameRange
    package let order: ResultOrder
    package let terms: [Term]
    package let layout: ConjunctionLayout
    /// Equalities sorted by canonical path, then a contained element if any.
    package let bound: [BoundPart]

    package init(_ conjunction: Conjunction, of query: Query) {
        self.init(conjunction, of: query, ConjunctionLayout(conjunction, of: query))
    }

    /// `layout` is that of this query, or of another one that is like it.
    package init(_ conjunction: Conjunction, of query: Query, _ layout: ConjunctionLayout) {
        self.names = query.names
        self.order = query.order
        self.terms = conjunction.terms
        self.layout = layout
        self.bound = layout.bound.map { BoundPart(part: $0.part, key: conjunction.terms[$0.term].boundKey) }
    }

    package var isReversed: Bool { self.layout.isReversed }

    /// The one document that the conjunction allows.
    package var pinned: ResourcePath? {
        guard let index = self.layout.pinned, case .equal(.reference(let name)) = self.terms[index].condition else {
            return nil
        }
        return name.path
    }

    var sortParts: [SortPart] {
        self.layout.sortParts.map { part in
            switch part {
            case .constant(let index): .constant(self.bound[index].key)
            case .field(let clause): .field(clause)
            case .name: .name
            }
        }
    }

    /// The clauses of the order that stand in the suffix, the name aside.
    package var sortFields: [ResultOrder.Clause] { self.layout.sortFields }

    /// Whether suffixes are whole keys of the query's order, or their complements.
    package var hasConstants: Bool { self.layout.hasConstants }

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

extension Term {
    /// What stands in a key for the value of an equality or of a contained element.
    fileprivate var boundKey: [UInt8] {
        switch self.condition {
        case .equal(let value), .arrayContains(let value): OrderPreservingKey(value).bytes
        default: []
        }
    }
}
