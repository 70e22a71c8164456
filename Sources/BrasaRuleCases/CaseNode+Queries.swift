internal import BrasaDocuments
internal import BrasaQueries

/// Queries: `{where: [[owner, ==, alice]], orderBy: [at desc], limit: 10, offset: 0, group: true}`.
extension CaseNode {
    private static let operators: [String: StructuredQuery.Filter.FieldOperator] = [
        "==": .equal, "!=": .notEqual, "<": .lessThan, "<=": .lessThanOrEqual, ">": .greaterThan,
        ">=": .greaterThanOrEqual, "in": .in, "not-in": .notIn, "array-contains": .arrayContains,
        "array-contains-any": .arrayContainsAny,
    ]

    static func query(
        of collection: ResourcePath,
        _ description: CaseNode?,
        at time: Timestamp,
        _ place: CaseNode
    ) throws(RuleCaseError) -> RuleCase.Call {
        let known: Set = ["where", "orderBy", "limit", "offset", "group"]
        let members = try description?.members("query", known) ?? [:]
        var query = StructuredQuery(
            from: [
                .init(
                    collectionID: UTF8Text(validating: Array(collection.lastSegment)) ?? "",
                    allDescendants: try members["group"]?.bool("group") ?? false
                )
            ]
        )
        query.filter = try members["where"].map { (node) throws(RuleCaseError) in try node.filter(at: time, depth: 0) }
        for order in try members["orderBy"]?.list("orderBy") ?? [] { query.orderBy.append(try order.order()) }
        query.limit = try members["limit"].map { (node) throws(RuleCaseError) in
            Int32(try node.integer("limit", 0...Int(Int32.max)))
        }
        query.offset = Int32(try members["offset"]?.integer("offset", 0...Int(Int32.max)) ?? 0)
        do {
            let database = try DatabaseName.ofCases()
            guard let parent = ParentName(database: database, path: collection.parent ?? .root) else {
                throw place.error("\(collection) is no collection")
            }
            return .list(query, try Query(query, parent: parent))
        } catch let error as RuleCaseError {
            throw error
        } catch {
            throw (description ?? place).error("no such query: \(error)")
        }
    }

    /// A list of conditions, all of which must hold; `{or: [...]}` for one of several.
    private func filter(at time: Timestamp, depth: Int) throws(RuleCaseError) -> StructuredQuery.Filter {
        guard depth < StructuredQuery.filterDepthMax else { throw self.error("filters are nested too deep") }
        if self.isMapping {
            let members = try self.members("a filter", ["or", "and"])
            guard members.count == 1, let (op, parts) = members.first else {
                throw self.error("a filter has or, or and")
            }
            return .composite(op == "or" ? .or : .and, try parts.filters(at: time, depth: depth))
        }
        let parts = try self.list("a filter")
        guard let first = parts.first, !first.isList, !first.isMapping else {
            return .composite(.and, try self.filters(at: time, depth: depth))
        }
        guard parts.count == 3, let op = Self.operators[try parts[1].text("an operator")] else {
            throw self.error("a condition is [field, operator, value]")
        }
        return .field(try parts[0].fieldPath(), op, try parts[2].value(at: time))
    }

    private func filters(at time: Timestamp, depth: Int) throws(RuleCaseError) -> [StructuredQuery.Filter] {
        var filters: [StructuredQuery.Filter] = []
        for part in try self.list("filters") { filters.append(try part.filter(at: time, depth: depth + 1)) }
        return filters
    }

    private func order() throws(RuleCaseError) -> StructuredQuery.Order {
        let words = try self.text("an order").split(separator: " ")
        guard let field = words.first, words.count <= 2, words.count == 1 || ["asc", "desc"].contains(words[1]) else {
            throw self.error("an order is a field, perhaps with asc or desc")
        }
        let path = try self.fieldPath(String(field))
        return StructuredQuery.Order(field: path, direction: words.last == "desc" ? .descending : .ascending)
    }

    func fieldPath() throws(RuleCaseError) -> FieldPath { try self.fieldPath(try self.text("a field")) }

    func fieldPath(_ text: String) throws(RuleCaseError) -> FieldPath {
        do { return try FieldPath(parsing: text.utf8) } catch { throw self.error("\(text) is no field: \(error)") }
    }
}
