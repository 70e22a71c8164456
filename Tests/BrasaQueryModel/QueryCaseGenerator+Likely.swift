internal import BrasaDocuments
internal import BrasaQueries

/// Queries made from a document that is there, so that they find it and what is like it: several equalities, a range,
/// an order in all directions, cursors at its place.
extension QueryCaseGenerator {
    package mutating func nextLikely() -> QueryCase {
        while true {
            let documents = self.documents(count: 40)
            guard let document = documents.randomElement(using: &self.random) else { continue }
            let query = self.query(finding: document)
            let above = document.path.parent?.parent ?? .root
            let isGroup = query.from.first?.allDescendants ?? false
            let isFromRoot = isGroup && self.random.chance(2)
            guard let parent = ParentName(database: self.database, path: isFromRoot ? .root : above) else { continue }
            let made = QueryCase(documents: documents, query: query, parent: parent)
            if made.checked != nil { return made }
        }
    }

    private mutating func query(finding document: ModelDocument) -> StructuredQuery {
        let id = UTF8Text(validating: Array(document.path.collectionID)) ?? "c"
        var query = StructuredQuery(from: [.init(collectionID: id, allDescendants: self.random.chance(2))])
        var paths: [[UTF8Text]] = [["a"], ["b"], ["c"], ["m", "x"], ["t"]]
        paths.shuffle(using: &self.random)
        var filters: [StructuredQuery.Filter] = []
        for names in paths.prefix(1 + self.random.below(3)) {
            guard let path = try? FieldPath(names: names), let value = document.value(at: path, in: self.database)
            else { continue }
            filters.append(self.filter(path, value))
        }
        var orders: [StructuredQuery.Order] = []
        for names in paths.suffix(self.random.below(3)) {
            guard let path = try? FieldPath(names: names), let value = document.value(at: path, in: self.database)
            else { continue }
            orders.append(.init(field: path, direction: self.random.pick([.ascending, .descending])))
            if self.random.chance(2) {
                let op = self.random.pick([StructuredQuery.Filter.FieldOperator.greaterThanOrEqual, .lessThanOrEqual])
                filters.append(.field(path, op, value))
            }
        }
        if !filters.isEmpty { query.filter = .composite(.and, filters) }
        query.orderBy = orders
        if !orders.isEmpty, self.random.chance(3) {
            let values = orders.compactMap { document.value(at: $0.field, in: self.database) }
            query.startAt = .init(values: values, before: self.random.chance(2))
        }
        return query
    }

    private mutating func filter(_ path: FieldPath, _ value: Value) -> StructuredQuery.Filter {
        switch value {
        case .null: return .unary(path, .isNull)
        case .double(let double) where double.isNaN: return .unary(path, .isNaN)
        case .array(let elements):
            guard let element = elements.first, self.random.chance(2) else { return .field(path, .equal, value) }
            return .field(path, .arrayContains, element)
        default:
            if self.random.chance(4) { return .field(path, .in, .array([value, self.number()])) }
            return .field(path, .equal, value)
        }
    }
}
