package import BrasaDocuments

extension Query {
    /// Whether a document is among the query's results, its offset and limit aside.
    package func matches(path: ResourcePath, fields: EncodedFields) -> Bool {
        guard self.names.contains(path), self.filterMatches(path: path, fields: fields) else { return false }
        // Cursors on names alone are in the bounds of the names.
        if self.order.isByNameAlone { return true }
        if self.start == nil, self.end == nil { return self.order.hasFields(fields) }
        guard let key = self.order.key(path: path, fields: fields) else { return false }
        return self.isWithinCursors(key)
    }

    /// Whether the filter holds, the scope and the order's fields aside.
    package func filterMatches(path: ResourcePath, fields: EncodedFields) -> Bool {
        guard let filter = self.filter else { return true }
        guard let name = DocumentName(database: self.database, path: path) else { return false }
        return filter.matches(name, fields)
    }

    /// Whether a key of the query's order lies between its cursors.
    package func isWithinCursors(_ key: OrderPreservingKey) -> Bool {
        if let start = self.start, !start.isBefore(key.bytes) { return false }
        if let end = self.end, end.isBefore(key.bytes) { return false }
        return true
    }
}
