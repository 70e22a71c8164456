import BrasaDocuments
import BrasaQueries
import BrasaStatus
import BrasaSync

/// What the cases call things, as the engine's types.
enum SpecModel {
    static func database() throws -> DatabaseName {
        try DatabaseName(project: "test-project", database: "(default)")
    }

    static func path(_ text: String?) throws -> ResourcePath {
        try ResourcePath(parsing: Array((text ?? "").utf8))
    }

    static func query(_ json: JSON) throws -> SyncQuery {
        let path = try json.string.map { try Self.path($0) } ?? Self.path(json["path"]?.string)
        let group = json["collectionGroup"]?.string
        let filters = json["filters"]?.array ?? []
        if path.isDocument, group == nil, filters.isEmpty { return SyncQuery(document: path) }
        var query = StructuredQuery()
        let id = group.map { UTF8Text($0) } ?? UTF8Text(String(decoding: path.lastSegment, as: UTF8.self))
        query.from = [StructuredQuery.CollectionSelector(collectionID: id, allDescendants: group != nil)]
        let terms = try filters.map(Self.filter)
        query.filter = terms.count > 1 ? .composite(.and, terms) : terms.first
        query.orderBy = try (json["orderBys"]?.array ?? []).map { clause in
            let field = try FieldPath(parsing: Array((clause.array[0].string ?? "").utf8))
            let isDescending = clause.array[1].string == "desc"
            return StructuredQuery.Order(field: field, direction: isDescending ? .descending : .ascending)
        }
        query.limit = json["limit"]?.integer.map(Int32.init)
        return try SyncQuery(
            query,
            parent: group == nil ? path.parent ?? .root : path,
            limitType: json["limitType"]?.string == "LimitToLast" ? .last : .first,
            database: Self.database()
        )
    }

    private static func filter(_ json: JSON) throws -> StructuredQuery.Filter {
        let operators: [String: StructuredQuery.Filter.FieldOperator] = [
            "==": .equal, "!=": .notEqual, "<": .lessThan, "<=": .lessThanOrEqual, ">": .greaterThan,
            ">=": .greaterThanOrEqual, "array-contains": .arrayContains, "in": .in, "not-in": .notIn,
            "array-contains-any": .arrayContainsAny,
        ]
        guard json.array.count == 3, let op = operators[json.array[1].string ?? ""] else {
            throw SpecFailure("unknown filter \(json)")
        }
        return .field(try FieldPath(parsing: Array((json.array[0].string ?? "").utf8)), op, json.array[2].value)
    }

    /// As it comes from the server, or as it is expected in a snapshot.
    static func document(_ json: JSON, withState: Bool) throws -> SyncDocument {
        let path = try Self.path(json["key"]?.string)
        let options = withState ? json["options"] : nil
        var state = SyncDocument.State.synced
        if options?["hasLocalMutations"]?.boolean == true { state = .localMutations }
        if options?["hasCommittedMutations"]?.boolean == true { state = .committedMutations }
        return SyncDocument(
            path: path,
            kind: json["value"].map { .found($0.fields) } ?? .missing,
            version: state == .localMutations ? .zero : Self.version(json["version"]),
            state: state
        )
    }

    static func version(_ json: JSON?) -> Timestamp { Timestamp(microseconds: json?.integer ?? 0) }

    static func error(_ json: JSON?) -> SyncError? {
        json.map { json in
            let code = json["code"]?.integer.flatMap { StatusCode(rawValue: Int(clamping: $0)) }
            return SyncError(code ?? .unknown, json["message"]?.string ?? "")
        }
    }

    static func write(_ key: String?, _ operation: Write.Operation, mustExist: Bool = false) throws -> Write {
        guard let name = DocumentName(database: try Self.database(), path: try Self.path(key)) else {
            throw SpecFailure("\(key ?? "nil") is no document")
        }
        return Write(name: name, operation: operation, precondition: mustExist ? .exists(true) : nil)
    }

    static func patch(_ json: JSON) throws -> Write.Operation {
        var edit = FieldEdit(.empty)
        var mask: [FieldPath] = []
        for (text, value) in json.object {
            let path = try FieldPath(parsing: Array(text.utf8))
            mask.append(path)
            if value.string != "<DELETE>" { edit.set(value.value, at: path) }
        }
        return .merge(edit.finish(), mask: mask.sorted())
    }
}

struct SpecFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
