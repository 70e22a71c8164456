internal import BrasaDocuments
internal import BrasaQueries

extension JSONValue {
    /// A StructuredQuery message, projection and offset aside, which no listener has.
    var structuredQuery: StructuredQuery? {
        guard self.object != nil else { return nil }
        let from = Self.all(self["from"]?.array ?? []) { selector in
            StructuredQuery.CollectionSelector(
                collectionID: UTF8Text(selector["collectionId"]?.string ?? ""),
                allDescendants: selector["allDescendants"]?.boolean ?? false
            )
        }
        let orders = Self.all(self["orderBy"]?.array ?? []) { clause in
            clause["field"]?.fieldPath.map { field in
                let isDescending = clause["direction"]?.string == "DESCENDING"
                return StructuredQuery.Order(field: field, direction: isDescending ? .descending : .ascending)
            }
        }
        guard let from, let orders else { return nil }
        var query = StructuredQuery(from: from, orderBy: orders)
        if let filter = self["where"] {
            guard let filter = filter.filter(depth: 0) else { return nil }
            query.filter = filter
        }
        if let limit = self["limit"] {
            guard let limit = (limit["value"] ?? limit).integer else { return nil }
            query.limit = Int32(clamping: limit)
        }
        if let start = self["startAt"] {
            guard let start = start.cursor else { return nil }
            query.startAt = start
        }
        if let end = self["endAt"] {
            guard let end = end.cursor else { return nil }
            query.endAt = end
        }
        return query
    }

    private var fieldPath: FieldPath? {
        self["fieldPath"]?.string.flatMap { try? FieldPath(parsing: Array($0.utf8)) }
    }

    private var cursor: StructuredQuery.Cursor? {
        Self.all(self["values"]?.array ?? [], \.value).map {
            StructuredQuery.Cursor(values: $0, before: self["before"]?.boolean ?? false)
        }
    }

    private func filter(depth: Int) -> StructuredQuery.Filter? {
        guard depth <= StructuredQuery.filterDepthMax else { return nil }
        if let composite = self["compositeFilter"] {
            let parts = Self.all(composite["filters"]?.array ?? []) { $0.filter(depth: depth + 1) }
            return parts.map { .composite(composite["op"]?.string == "OR" ? .or : .and, $0) }
        }
        if let field = self["fieldFilter"] {
            guard let path = field["field"]?.fieldPath, let value = field["value"]?.value else { return nil }
            return StructuredQuery.Filter.FieldOperator(protocolName: field["op"]?.string).map {
                .field(path, $0, value)
            }
        }
        if let unary = self["unaryFilter"] {
            guard let path = unary["field"]?.fieldPath else { return nil }
            return StructuredQuery.Filter.UnaryOperator(protocolName: unary["op"]?.string).map { .unary(path, $0) }
        }
        return nil
    }
}
