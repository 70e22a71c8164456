package import BrasaDocuments
package import BrasaQueries

/// Documents and a query on them: one case of a property test.
package struct QueryCase: Sendable, CustomStringConvertible {
    package var documents: [ModelDocument]
    package var query: StructuredQuery
    package var parent: ParentName

    package init(documents: [ModelDocument], query: StructuredQuery, parent: ParentName) {
        self.documents = documents
        self.query = query
        self.parent = parent
    }

    package var model: QueryModel { QueryModel(self.query, parent: self.parent) }

    /// Nil when the query is not valid.
    package var checked: Query? { try? Query(self.query, parent: self.parent) }

    package var description: String {
        ([self.query.text(parent: self.parent)] + self.documents.map { "  \($0)" }).joined(separator: "\n")
    }
}

extension StructuredQuery {
    package func text(parent: ParentName) -> String {
        var parts = ["from /\(parent.path)"]
        for selector in self.from {
            parts.append("collection '\(selector.collectionID)'\(selector.allDescendants ? " and below" : "")")
        }
        if let filter = self.filter { parts.append("where \(filter.text)") }
        if !self.orderBy.isEmpty {
            let orders = self.orderBy.map { "\($0.field) \($0.direction)" }
            parts.append("order by \(orders.joined(separator: ", "))")
        }
        if let cursor = self.startAt { parts.append("start \(cursor.text)") }
        if let cursor = self.endAt { parts.append("end \(cursor.text)") }
        if self.offset != 0 { parts.append("offset \(self.offset)") }
        if let limit = self.limit { parts.append("limit \(limit)") }
        if let select = self.select { parts.append("select \(select)") }
        if let nearest = self.findNearest {
            parts.append(
                "nearest \(nearest.limit ?? 0) by \(nearest.distanceMeasure) of \(nearest.queryVector?.text ?? "")"
            )
        }
        return parts.joined(separator: " ")
    }
}

extension StructuredQuery.Cursor {
    fileprivate var text: String {
        "\(self.before ? "before" : "after") (\(self.values.map(\.text).joined(separator: ", ")))"
    }
}

extension StructuredQuery.Filter {
    package var text: String {
        switch self {
        case .unset: "unset"
        case .composite(let op, let filters): "\(op)(\(filters.map(\.text).joined(separator: ", ")))"
        case .field(let path, let op, let value): "\(path?.canonical ?? "?") \(op) \(value?.text ?? "?")"
        case .unary(let path, let op): "\(path?.canonical ?? "?") \(op)"
        }
    }
}
