internal import BrasaDocuments
internal import BrasaQueries

/// Queries that are mostly about names: ranges and lists that say more together than each by itself, alternatives that
/// are the same, and such that can never be.
extension QueryCaseGenerator {
    package mutating func nextNamed() -> QueryCase {
        let documents = self.documents(count: 12)
        while true {
            var query = StructuredQuery()
            let id: UTF8Text = self.random.pick(["c", "c", "c", "d"])
            query.from = [StructuredQuery.CollectionSelector(collectionID: id, allDescendants: self.random.chance(4))]
            query.filter = self.namedFilter(documents, depth: 0)
            if self.random.chance(3) {
                let direction = self.random.pick([StructuredQuery.Order.Direction.ascending, .descending])
                query.orderBy = [StructuredQuery.Order(field: .documentName, direction: direction)]
            }
            guard let parent = ParentName(database: self.database, path: .root) else { continue }
            let made = QueryCase(documents: documents, query: query, parent: parent)
            if made.checked != nil { return made }
        }
    }

    private mutating func namedFilter(_ documents: [ModelDocument], depth: Int) -> StructuredQuery.Filter {
        switch self.random.below(depth < 2 ? 10 : 7) {
        case 7:
            // The same twice.
            let filter = self.namedFilter(documents, depth: depth + 1)
            return .composite(.or, [filter, filter])
        case 8:
            return .composite(.or, (0...1).map { _ in self.namedFilter(documents, depth: depth + 1) })
        case 9:
            return .composite(.and, (0...2).map { _ in self.namedFilter(documents, depth: depth + 1) })
        case 0: return self.impossibleFilter()
        case 1, 2: return .field(.documentName, .in, .array((0...2).map { _ in self.reference(in: documents) }))
        default:
            let op = self.random.pick([
                StructuredQuery.Filter.FieldOperator.equal, .lessThan, .lessThanOrEqual, .greaterThan,
                .greaterThanOrEqual, .greaterThan, .lessThan, .notEqual,
            ])
            return .field(.documentName, op, self.reference(in: documents))
        }
    }

    /// Holds for no document, which some forms show only when they are taken together.
    private mutating func impossibleFilter() -> StructuredQuery.Filter {
        let path = (try? FieldPath(names: ["a"])) ?? .documentName
        switch self.random.below(3) {
        case 0: return .field(path, .equal, .null)
        case 1:
            return .composite(.and, [.field(path, .equal, .integer(1)), .field(path, .equal, .integer(2))])
        default: return .field(path, .lessThan, .double(.nan))
        }
    }

    private mutating func reference(in documents: [ModelDocument]) -> Value {
        guard !documents.isEmpty, !self.random.chance(6) else { return self.ownReference() }
        let path = self.random.pick(documents).path
        return DocumentName(database: self.database, path: path).map { .reference($0) } ?? self.ownReference()
    }
}
