import BrasaDocuments
import BrasaQueries

let testDatabase = makeDatabase()

private func makeDatabase() -> DatabaseName {
    do { return try DatabaseName(project: "p", database: "d") } catch { preconditionFailure("\(error)") }
}

func parent(_ path: String = "") throws -> ParentName {
    let root = "\(testDatabase)/documents"
    return try ParentName(parsing: Array((path.isEmpty ? root : "\(root)/\(path)").utf8))
}

func path(_ path: String) throws -> ResourcePath { try ResourcePath(parsing: Array(path.utf8)) }

func field(_ path: String) throws -> FieldPath { try FieldPath(parsing: Array(path.utf8)) }

func reference(_ path: String, in database: String = "projects/p/databases/d") throws -> Value {
    .reference(try DocumentName(parsing: Array("\(database)/documents/\(path)".utf8)))
}

func fields(_ entries: [String: Value]) -> EncodedFields {
    EncodedFields(encoding: entries.map { Value.MapEntry(key: UTF8Text($0.key), value: $0.value) })
}

/// A query of the collection `c`, changed.
func structured(_ change: (inout StructuredQuery) throws -> Void = { _ in }) rethrows -> StructuredQuery {
    var query = StructuredQuery(from: [.init(collectionID: "c")])
    try change(&query)
    return query
}

extension StructuredQuery.Filter {
    static func field(_ path: String, _ op: FieldOperator, _ value: Value?) throws -> Self {
        .field(try FieldPath(parsing: Array(path.utf8)), op, value)
    }

    static func unary(_ path: String, _ op: UnaryOperator) throws -> Self {
        .unary(try FieldPath(parsing: Array(path.utf8)), op)
    }
}
