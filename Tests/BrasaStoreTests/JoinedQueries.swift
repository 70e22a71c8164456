import BrasaDocuments
import BrasaQueries
import BrasaQueryModel

/// Several equalities on fields that have one of two values, so that each has many documents and few have them all.
extension QueryCaseGenerator {
    mutating func nextJoined() -> QueryCase {
        while true {
            let documents = self.documents(count: 30).map { document in
                let entries = ["a", "b", "c"].map { name in
                    Value.MapEntry(key: UTF8Text(name), value: .integer(Int64(self.random.below(2))))
                }
                return ModelDocument(path: document.path, entries: entries + document.entries.filter { $0.key == "v" })
            }
            let isGroup = self.random.chance(3)
            var query = StructuredQuery(from: [.init(collectionID: "c", allDescendants: isGroup)])
            let filters = ["a", "b", "c"].prefix(2 + self.random.below(2)).compactMap { name in
                (try? FieldPath(names: [UTF8Text(name)])).map { path in
                    StructuredQuery.Filter.field(path, .equal, .integer(Int64(self.random.below(2))))
                }
            }
            query.filter = .composite(.and, filters)
            if self.random.chance(2) {
                let vector = (try? FieldPath(names: ["v"])) ?? .documentName
                let path = self.random.pick([FieldPath.documentName, vector])
                query.orderBy = [.init(field: path, direction: self.random.pick([.ascending, .descending]))]
            }
            guard let parent = ParentName(database: self.database, path: .root) else { continue }
            let made = QueryCase(documents: documents, query: query, parent: parent)
            if made.checked != nil { return made }
        }
    }
}
