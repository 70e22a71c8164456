internal import BrasaDocuments

/// A cursor among the documents of a query.
struct CursorPosition {
    let bound: KeyBound
    /// The document that it names, when the order is by name alone.
    let path: ResourcePath?

    /// Nil for a cursor without values, which bounds nothing.
    init?(_ cursor: StructuredQuery.Cursor?, order: ResultOrder, database: DatabaseName) throws(QueryError) {
        guard let cursor, !cursor.values.isEmpty else { return nil }
        guard cursor.values.count <= order.explicitCount else { throw QueryError(.cursorTooLong) }
        var key = OrderPreservingKey()
        var path: ResourcePath?
        for (clause, value) in zip(order.clauses, cursor.values) {
            let start = key.bytes.count
            if clause.path.isDocumentName {
                let named = try database.path(of: value, else: .cursorNotReference)
                key.append(named)
                path = named
            } else {
                key.append(value)
            }
            if clause.isDescending { key.complement(from: start) }
        }
        self.bound = KeyBound(prefix: key.bytes, isAfter: !cursor.before)
        self.path = order.isByNameAlone ? path : nil
    }
}
