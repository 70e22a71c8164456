package import BrasaDocuments

/// The order of a query's results, with what the protocol adds to the clauses asked for. The last clause is
/// `__name__`, so no two documents are equal in it.
package struct ResultOrder: Hashable, Sendable {
    package struct Clause: Hashable, Sendable {
        package let path: FieldPath
        package let isDescending: Bool

        package init(_ path: FieldPath, isDescending: Bool = false) {
            self.path = path
            self.isDescending = isDescending
        }
    }

    package let clauses: [Clause]
    /// How many of the clauses were asked for.
    package let explicitCount: Int

    /// By name alone, ascending.
    package static let byName = ResultOrder(clauses: [Clause(.documentName)], explicitCount: 0)

    private init(clauses: [Clause], explicitCount: Int) {
        self.clauses = clauses
        self.explicitCount = explicitCount
    }

    /// Adds the inequality fields that have no clause, sorted by canonical path, and the name.
    package init(_ orders: [StructuredQuery.Order], inequalities: Set<FieldPath>) throws(QueryError) {
        var clauses: [Clause] = []
        for order in orders {
            guard !clauses.contains(where: { $0.path == order.field }) else {
                throw QueryError(.duplicateOrder(order.field))
            }
            if clauses.last?.path.isDocumentName == true { throw QueryError(.fieldsAfterKey) }
            clauses.append(Clause(order.field, isDescending: order.direction == .descending))
        }
        let isDescending = clauses.last?.isDescending ?? false
        let endsWithName = clauses.last?.path.isDocumentName == true
        let added = inequalities.filter { path in !path.isDocumentName && !clauses.contains { $0.path == path } }
        if endsWithName, !added.isEmpty { throw QueryError(.fieldsAfterKey) }
        for path in added.sortedByText { clauses.append(Clause(path, isDescending: isDescending)) }
        if !endsWithName { clauses.append(Clause(.documentName, isDescending: isDescending)) }
        self.clauses = clauses
        self.explicitCount = orders.count
    }

    /// With the fields that an aggregation sums, which its index has behind the others and before the name, name by name.
    /// Where names are ordered by or bounded, the name would have to come first, so all fields must be in the order before.
    func summing(_ fields: [FieldPath], namesAreBounded: Bool) throws(QueryError) -> ResultOrder {
        let added = fields.filter { path in !self.clauses.contains { $0.path == path } }.sorted()
        guard !added.isEmpty, let name = self.clauses.last else { return self }
        guard !namesAreBounded, self.explicitCount < self.clauses.count else {
            throw QueryError(.summedAfterKey(added))
        }
        let summed = added.map { Clause($0, isDescending: name.isDescending) }
        return ResultOrder(clauses: self.clauses.dropLast() + summed + [name], explicitCount: self.explicitCount)
    }

    /// Whether documents are ordered by nothing but their names.
    package var isByNameAlone: Bool { self.clauses.count == 1 }

    /// Whether documents that are equal in all else are in descending order of their names.
    package var isNameDescending: Bool { self.clauses.last?.isDescending ?? false }

    /// The document's place in the order: keys compare byte by byte. Nil when it lacks a field of the order, and so is
    /// no result.
    package func key(path: ResourcePath, fields: EncodedFields) -> OrderPreservingKey? {
        var key = OrderPreservingKey()
        for clause in self.clauses {
            if clause.path.isDocumentName {
                let start = key.bytes.count
                key.append(path)
                if clause.isDescending { key.complement(from: start) }
            } else if !key.append(fields, at: clause.path, isDescending: clause.isDescending) {
                return nil
            }
        }
        return key
    }

    /// Whether the document has every field of the order.
    package func hasFields(_ fields: EncodedFields) -> Bool {
        self.clauses.allSatisfy { $0.path.isDocumentName || fields.encodedValue(at: $0.path) != nil }
    }
}

extension Sequence<FieldPath> {
    /// By canonical path.
    var sortedByText: [FieldPath] {
        self.map { (path: $0, text: UTF8Text($0.canonical)) }.sorted { $0.text < $1.text }.map(\.path)
    }
}
