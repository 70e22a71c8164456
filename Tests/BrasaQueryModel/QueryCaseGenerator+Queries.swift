package import BrasaDocuments
package import BrasaQueries

extension QueryCaseGenerator {
    /// Every clause of a query except `find_nearest`; often a valid one. Cursors are likely to meet the documents.
    package mutating func query(on documents: [ModelDocument]) -> (StructuredQuery, ParentName) {
        var query = StructuredQuery()
        let parent = self.parent()
        query.from = self.source()
        if !self.random.chance(6) { query.filter = self.filter(depth: 0) }
        if !self.random.chance(3) { query.orderBy = self.orders(query.filter) }
        if self.random.chance(3) { query.startAt = self.cursor(query, parent, documents) }
        if self.random.chance(4) { query.endAt = self.cursor(query, parent, documents) }
        if self.random.chance(4) { query.limit = Int32(self.random.below(6)) }
        if self.random.chance(5) { query.offset = Int32(self.random.below(4)) }
        if self.random.chance(6) { query.select = (0..<self.random.below(3)).map { _ in self.fieldPath() } }
        return (query, parent)
    }

    private mutating func parent() -> ParentName {
        let root = ParentName(database: self.database, path: .root)
        let isRoot = !self.random.chance(5)
        let path = isRoot ? .root : self.path()
        guard let parent = ParentName(database: self.database, path: path) ?? root else {
            preconditionFailure("the root is a parent")
        }
        return parent
    }

    private mutating func source() -> [StructuredQuery.CollectionSelector] {
        switch self.random.below(12) {
        case 0: return []
        case 1: return [StructuredQuery.CollectionSelector(collectionID: "", allDescendants: self.random.chance(2))]
        default:
            let id: UTF8Text = self.random.pick(["c", "c", "c", "d", "e"])
            return [StructuredQuery.CollectionSelector(collectionID: id, allDescendants: self.random.chance(3))]
        }
    }

    private mutating func fieldPath() -> FieldPath {
        let names: [UTF8Text] = self.random.pick([
            ["a"], ["a"], ["a"], ["b"], ["b"], ["b"], ["c"], ["c"], ["m"], ["m", "x"], ["m", "a.b"], ["t"], ["v"],
            ["none"],
        ])
        return (try? FieldPath(names: names)) ?? .documentName
    }

    // MARK: Filters

    private mutating func filter(depth: Int) -> StructuredQuery.Filter {
        switch self.random.below(depth < 3 ? 8 : 5) {
        case 5, 6:
            .composite(.and, (0..<self.random.pick([0, 1, 2, 2, 2, 3])).map { _ in self.filter(depth: depth + 1) })
        case 7: .composite(.or, (0...self.random.below(3)).map { _ in self.filter(depth: depth + 1) })
        case 4 where self.random.chance(8):
            // Ways that contradict themselves leave ways that are on names alone.
            .composite(self.random.pick([.and, .and, .or]), (0..<2).map { _ in self.nameFilter() })
        default: self.random.chance(8) ? self.nameFilter() : self.fieldFilter()
        }
    }

    private mutating func fieldFilter() -> StructuredQuery.Filter {
        let path = self.fieldPath()
        switch self.random.below(20) {
        case 0: return .unary(path, self.random.pick([.isNull, .isNaN, .isNotNull, .isNotNaN]))
        case 1, 2:
            let members = (0...self.random.below(4)).map { _ in self.operand(for: path) }
            return .field(path, self.random.pick([.in, .in, .notIn]), .array(members))
        case 3: return .field(path, .notEqual, self.operand(for: path))
        case 4, 5:
            let array = self.random.chance(6) ? path : FieldPath.array
            return .field(array, .arrayContains, self.element(for: array))
        case 6:
            let members = (0...self.random.below(3)).map { _ in self.element(for: .array) }
            return .field(.array, .arrayContainsAny, .array(members))
        case 7...10: return .field(path, .equal, self.operand(for: path))
        default:
            let op = self.random.pick([
                StructuredQuery.Filter.FieldOperator.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
            ])
            return .field(path, op, self.operand(for: path))
        }
    }

    private mutating func nameFilter() -> StructuredQuery.Filter {
        let ops: [StructuredQuery.Filter.FieldOperator] = [
            .equal, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .in, .notIn,
        ]
        let op = self.random.pick(ops)
        guard op == .in || op == .notIn else { return .field(.documentName, op, self.ownReference()) }
        return .field(.documentName, op, .array((0...self.random.below(3)).map { _ in self.ownReference() }))
    }

    /// A value that the field may well have.
    private mutating func operand(for path: FieldPath) -> Value {
        if self.random.chance(6) { return self.anyValue() }
        let document = ModelDocument(path: self.path(), entries: self.entries())
        return document.value(at: path, in: self.database) ?? self.anyValue()
    }

    private mutating func element(for path: FieldPath) -> Value {
        if case .array(let elements) = self.operand(for: path), let element = elements.first { return element }
        return self.anyValue()
    }

    // MARK: Order and cursors

    private mutating func orders(_ filter: StructuredQuery.Filter?) -> [StructuredQuery.Order] {
        var paths: [FieldPath] = []
        for _ in 0..<self.random.pick([0, 1, 1, 1, 2, 2, 3]) { paths.append(self.fieldPath()) }
        if self.random.chance(4) { paths.append(.documentName) }
        return paths.map {
            StructuredQuery.Order(field: $0, direction: self.random.pick([.unspecified, .ascending, .descending]))
        }
    }

    /// At a document's place or near it.
    private mutating func cursor(
        _ query: StructuredQuery,
        _ parent: ParentName,
        _ documents: [ModelDocument]
    ) -> StructuredQuery.Cursor {
        let before = self.random.chance(2)
        guard !query.orderBy.isEmpty else { return StructuredQuery.Cursor(values: [], before: before) }
        let count = 1 + self.random.below(query.orderBy.count)
        let document = documents.isEmpty ? nil : self.random.pick(documents)
        let values = query.orderBy.prefix(count).map { clause -> Value in
            let met = document?.value(at: clause.field, in: self.database)
            if clause.field.isDocumentName { return met ?? self.ownReference() }
            return self.random.chance(5) ? self.operand(for: clause.field) : met ?? self.operand(for: clause.field)
        }
        return StructuredQuery.Cursor(values: values, before: before)
    }
}

extension FieldPath {
    fileprivate static let array = (try? FieldPath(names: ["t"])) ?? .documentName
}
