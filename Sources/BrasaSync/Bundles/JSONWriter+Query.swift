import BrasaBytes
internal import BrasaDocuments
internal import BrasaQueries

extension JSONWriter {
    /// A StructuredQuery message, as far as it can be listened to.
    mutating func query(_ query: StructuredQuery) {
        self.object { writer in
            writer.member("from") { $0.array(query.from) { $1.selector($0) } }
            if let filter = query.filter { writer.member("where") { $0.filter(filter) } }
            if !query.orderBy.isEmpty { writer.member("orderBy") { $0.array(query.orderBy) { $1.order($0) } } }
            if let start = query.startAt { writer.member("startAt") { $0.cursor(start) } }
            if let end = query.endAt { writer.member("endAt") { $0.cursor(end) } }
            if let limit = query.limit { writer.member("limit") { $0.number(limit) } }
        }
    }

    private mutating func selector(_ selector: StructuredQuery.CollectionSelector) {
        self.object { writer in
            writer.member("collectionId", selector.collectionID.string)
            if selector.allDescendants { writer.member("allDescendants") { $0.boolean(true) } }
        }
    }

    private mutating func order(_ order: StructuredQuery.Order) {
        self.object { writer in
            writer.member("field") { $0.field(order.field) }
            writer.member("direction", order.direction == .descending ? "DESCENDING" : "ASCENDING")
        }
    }

    private mutating func field(_ path: FieldPath?) {
        self.object { writer in
            if let path { writer.member("fieldPath", path.canonical) }
        }
    }

    private mutating func cursor(_ cursor: StructuredQuery.Cursor) {
        self.object { writer in
            writer.member("values") { $0.array(cursor.values) { $1.value($0) } }
            if cursor.before { writer.member("before") { $0.boolean(true) } }
        }
    }

    private mutating func filter(_ filter: StructuredQuery.Filter) {
        self.object { writer in
            switch filter {
            case .unset: break
            case .composite(let op, let parts):
                writer.member("compositeFilter") { writer in
                    writer.object { writer in
                        writer.member("op", op == .or ? "OR" : "AND")
                        writer.member("filters") { $0.array(parts) { $1.filter($0) } }
                    }
                }
            case .field(let path, let op, let value):
                writer.member("fieldFilter") { writer in
                    writer.object { writer in
                        writer.member("field") { $0.field(path) }
                        writer.member("op", op.protocolName)
                        if let value { writer.member("value") { $0.value(value) } }
                    }
                }
            case .unary(let path, let op):
                writer.member("unaryFilter") { writer in
                    writer.object { writer in
                        writer.member("op", op.protocolName)
                        writer.member("field") { $0.field(path) }
                    }
                }
            }
        }
    }
}
