internal import BrasaDocuments
internal import BrasaQueries
internal import BrasaStatus

/// Indexes as a JSON text lists them: `{"indexes": [{"collectionGroup": …, "queryScope": …, "fields": [{"fieldPath": …,
/// "order": … or "arrayConfig": …}]}]}`. Without a scope an index is for both.
struct IndexConfiguration {
    private(set) var definitions: [IndexDefinition] = []

    init(_ json: [UInt8]) throws(SyncError) {
        guard let configuration = JSONValue(json[...]), configuration.object != nil else {
            throw Self.error("it is not a JSON object")
        }
        guard let indexes = configuration["indexes"] else { return }
        guard let indexes = indexes.array else { throw Self.error("\"indexes\" is not an array") }
        for index in indexes {
            let id = UTF8Text(index["collectionGroup"]?.string ?? "")
            guard (try? ResourcePath.checkCollectionID(id)) != nil else {
                throw Self.error("\"collectionGroup\" is not the id of a collection")
            }
            guard let parts = try Self.parts(of: index) else { continue }
            for scope in try Self.scopes(of: index) {
                let definition = IndexDefinition(collectionID: id, scope: scope, parts: parts)
                if !self.definitions.contains(definition) { self.definitions.append(definition) }
            }
        }
    }

    private static func scopes(of index: JSONValue) throws(SyncError) -> [IndexDefinition.Scope] {
        guard let scope = index["queryScope"] else { return [.collection, .collectionGroup] }
        switch scope.string {
        case "COLLECTION": return [.collection]
        case "COLLECTION_GROUP": return [.collectionGroup]
        default: throw Self.error("\"queryScope\" is neither COLLECTION nor COLLECTION_GROUP")
        }
    }

    /// Nil for an index of a kind that only servers have. The name, which ends all indexes, is left out.
    private static func parts(of index: JSONValue) throws(SyncError) -> [IndexDefinition.Part]? {
        guard let fields = index["fields"]?.array else { throw Self.error("\"fields\" is not an array") }
        var parts: [IndexDefinition.Part] = []
        for field in fields {
            if field["vectorConfig"] != nil { return nil }
            guard let text = field["fieldPath"]?.string, let path = try? FieldPath(parsing: Array(text.utf8)) else {
                throw Self.error("\"fieldPath\" is not the path of a field")
            }
            let kind = try Self.kind(of: field)
            if path.isDocumentName { continue }
            guard !parts.contains(where: { $0.path == path || $0.kind == .contains && kind == .contains }) else {
                throw Self.error("an index has a field twice, or several arrays")
            }
            parts.append(IndexDefinition.Part(path, kind))
        }
        return parts.isEmpty ? nil : parts
    }

    private static func kind(of field: JSONValue) throws(SyncError) -> IndexDefinition.Part.Kind {
        switch (field["order"]?.string, field["arrayConfig"]?.string) {
        case ("ASCENDING", nil): return .ascending
        case ("DESCENDING", nil): return .descending
        case (nil, "CONTAINS"): return .contains
        default: throw Self.error("a field has neither an \"order\" nor an \"arrayConfig\" that is known")
        }
    }

    private static func error(_ reason: String) -> SyncError {
        SyncError(.invalidArgument, "The index configuration cannot be read: \(reason).")
    }
}
