package import BrasaDocuments
package import BrasaQueries

/// What a valid query returns, worked out in the most obvious way: everything is looked at, nothing is encoded, and
/// each step is one of the protocol's.
package struct QueryModel {
    package let query: StructuredQuery
    package let parent: ParentName

    package init(_ query: StructuredQuery, parent: ParentName) {
        self.query = query
        self.parent = parent
    }

    /// The results, in order, with all their fields. For `find_nearest` queries see `nearest`.
    package func results(among documents: [ModelDocument]) -> [ModelDocument] {
        let ordered = self.ordered(documents)
        let skipped = ordered.dropFirst(Int(self.query.offset))
        return Array(self.query.limit.map { skipped.prefix(Int($0)) } ?? skipped)
    }

    /// The results before offset and limit.
    package func ordered(_ documents: [ModelDocument]) -> [ModelDocument] {
        documents
            .filter { self.isInSource($0.path) }
            .filter { document in self.query.filter.map { self.holds($0, for: document) } ?? true }
            .filter { document in self.order.allSatisfy { self.value(document, $0.field) != nil } }
            .sorted { self.compare($0, $1) == .ascending }
            .filter { self.isBehindStart($0) && self.isBeforeEnd($0) }
    }

    // MARK: Source

    private func isInSource(_ path: ResourcePath) -> Bool {
        let segments = path.segments.map(Array.init)
        let above = self.parent.path.segments.map(Array.init)
        guard segments.count > above.count, segments.starts(with: above) else { return false }
        guard let selector = self.query.from.first else { return segments.count == above.count + 2 }
        if !selector.allDescendants, segments.count != above.count + 2 { return false }
        return selector.collectionID.bytes.isEmpty || segments[segments.count - 2] == selector.collectionID.bytes
    }

    // MARK: Order

    /// The effective order.
    package var order: [StructuredQuery.Order] {
        var order = self.query.orderBy
        let direction = order.last?.direction ?? .ascending
        let inequalities = Set(self.query.filter.map(Self.inequalities) ?? []).filter { !$0.isDocumentName }
        for field in inequalities.sorted(by: { Array($0.canonical.utf8).lexicographicallyPrecedes($1.canonical.utf8) })
        where !order.contains(where: { $0.field == field }) {
            order.append(StructuredQuery.Order(field: field, direction: direction))
        }
        if !order.contains(where: { $0.field.isDocumentName }) {
            order.append(StructuredQuery.Order(field: .documentName, direction: direction))
        }
        return order
    }

    /// The fields with an inequality, wherever in the filter.
    private static func inequalities(_ filter: StructuredQuery.Filter) -> [FieldPath] {
        switch filter {
        case .unset: []
        case .composite(_, let filters): filters.flatMap(self.inequalities)
        case .unary(let path?, .isNotNaN), .unary(let path?, .isNotNull): [path]
        case .field(let path?, let op, _):
            switch op {
            case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .notIn: [path]
            default: []
            }
        default: []
        }
    }

    private func compare(_ left: ModelDocument, _ right: ModelDocument) -> Ordering {
        for clause in self.order {
            guard let left = self.value(left, clause.field), let right = self.value(right, clause.field) else {
                continue
            }
            let order = Value.compare(left, right)
            if order != .same { return clause.direction == .descending ? order.reversed : order }
        }
        return .same
    }

    // MARK: Cursors

    private func isBehindStart(_ document: ModelDocument) -> Bool {
        guard let cursor = self.query.startAt else { return true }
        switch self.compare(document, with: cursor) {
        case .ascending: return false
        case .same: return cursor.before || cursor.values.isEmpty
        case .descending: return true
        }
    }

    private func isBeforeEnd(_ document: ModelDocument) -> Bool {
        guard let cursor = self.query.endAt else { return true }
        switch self.compare(document, with: cursor) {
        case .ascending: return true
        case .same: return !cursor.before || cursor.values.isEmpty
        case .descending: return false
        }
    }

    /// Compares as many clauses as the cursor has values.
    private func compare(_ document: ModelDocument, with cursor: StructuredQuery.Cursor) -> Ordering {
        for (clause, position) in zip(self.order, cursor.values) {
            guard let value = self.value(document, clause.field) else { continue }
            let order = Value.compare(value, position)
            if order != .same { return clause.direction == .descending ? order.reversed : order }
        }
        return .same
    }

    func value(_ document: ModelDocument, _ path: FieldPath) -> Value? {
        document.value(at: path, in: self.parent.database)
    }
}
