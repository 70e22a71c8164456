internal import BrasaDocuments
internal import BrasaQueries

/// Reads the values of a query's cursors.
struct CursorReader {
    private let reader: FilterReader

    init(_ reader: FilterReader) {
        self.reader = reader
    }

    /// Values for the first of the orders that were asked for.
    func values(_ given: [Any]) throws(UsageError) -> [Value] {
        let orders = self.reader.query.orders
        guard given.count <= orders.count else {
            throw UsageError("A cursor has \(given.count) values, more than the \(orders.count) orders of its query.")
        }
        var values: [Value] = []
        for (order, given) in zip(orders, given) {
            values.append(order.field.isDocumentName ? try self.documentID(given) : try self.reader.value(given))
        }
        return values
    }

    private func documentID(_ given: Any) throws(UsageError) -> Value {
        guard let id = given as? String else {
            throw UsageError("A cursor's value for a document's ID must be a String.")
        }
        return try self.reader.documentID(id)
    }

    /// The place of a document in the complete order.
    func values(of document: DocumentSnapshot) throws(UsageError) -> [Value] {
        guard let fields = document.fields else {
            throw UsageError("The document '\(document.reference.path)' of a cursor does not exist.")
        }
        var values: [Value] = []
        for clause in try self.reader.query.completeOrder().clauses {
            if clause.path.isDocumentName {
                values.append(.reference(try document.reference.name))
                continue
            }
            guard let value = fields.value(at: clause.path) else {
                throw UsageError("The document of a cursor has no field '\(clause.path)', which orders the query.")
            }
            guard value.pendingTimestamp == nil else {
                throw UsageError("The field '\(clause.path)' of a cursor's document has no server timestamp yet.")
            }
            values.append(value)
        }
        return values
    }
}
