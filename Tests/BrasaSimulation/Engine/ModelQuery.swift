import BrasaDocuments
import BrasaQueries
import BrasaStore

/// A query that clients run, with what the model thinks of it: plain conditions on plain lists, made by hand.
struct ModelQuery {
    struct Result: Hashable {
        let document: Int
        let value: ModelDocument
    }

    let query: Query
    let index: IndexDefinition
    /// Where it looks.
    private let documents: [Int]
    private let isMatch: (ModelDocument) -> Bool
    private let isDescending: Bool

    /// What it finds if the documents are these.
    func results(_ document: (Int) -> ModelDocument?) -> [Result] {
        let found = self.documents.compactMap { index in
            document(index).map { Result(document: index, value: $0) }
        }
        .filter { self.isMatch($0.value) }
        .sorted { left, right in
            let order = (left.value.number, left.document) < (right.value.number, right.document)
            return order != self.isDescending
        }
        return Array(found.prefix(self.query.limit ?? .max))
    }

    // MARK: The ones there are

    static let count = 9
    /// The job that is next, and all of them.
    static let nextJob = 7
    static let allJobs = 8

    static func all(in database: DatabaseName) -> [ModelQuery] {
        let a = [0, 1, 2, 3]
        return [
            make(database, "a", a, (.greaterThanOrEqual, 500)) { $0.number >= 500 },
            make(database, "a", a, (.lessThan, 400), limit: 1) { $0.number < 400 },
            make(database, "a", a, nil, isDescending: true, limit: 2) { _ in true },
            make(database, "s", [5, 6, 8], (.greaterThan, 300), isGroup: true, isDescending: true) { $0.number > 300 },
            make(database, "b", [4, 7], (.lessThanOrEqual, 10)) { $0.number <= 10 },
            make(database, "hot", [9], (.greaterThan, 500)) { $0.number > 500 },
            make(database, "a", a, (.equal, 1)) { $0.number == 1 },
            make(database, "jobs", Array(ModelWorld.jobs), nil, limit: 1) { _ in true },
            make(database, "jobs", Array(ModelWorld.jobs), (.greaterThanOrEqual, 0)) { $0.number >= 0 },
        ]
    }

    private static func make(
        _ database: DatabaseName,
        _ collection: String,
        _ documents: [Int],
        _ filter: (operation: StructuredQuery.Filter.FieldOperator, number: Int64)?,
        isGroup: Bool = false,
        isDescending: Bool = false,
        limit: Int32? = nil,
        where isMatch: @escaping (ModelDocument) -> Bool
    ) -> ModelQuery {
        let structured = { (field: FieldPath) in
            StructuredQuery(
                from: [
                    StructuredQuery.CollectionSelector(collectionID: UTF8Text(collection), allDescendants: isGroup)
                ],
                filter: filter.map { .field(field, $0.operation, .integer($0.number)) },
                orderBy: [StructuredQuery.Order(field: field, direction: isDescending ? .descending : .ascending)],
                limit: limit
            )
        }
        guard let field = try? FieldPath(parsing: Array("n".utf8)),
            let parent = ParentName(database: database, path: .root),
            let query = try? Query(structured(field), parent: parent)
        else { preconditionFailure("the model's queries are well formed") }
        let index = IndexDefinition(
            collectionID: UTF8Text(collection),
            scope: isGroup ? .collectionGroup : .collection,
            parts: [IndexDefinition.Part(field, .ascending)]
        )
        return ModelQuery(
            query: query,
            index: index,
            documents: documents,
            isMatch: isMatch,
            isDescending: isDescending
        )
    }
}

/// What a transaction has seen.
struct ModelReads {
    var documents: [Int: ModelDocument?] = [:]
    /// By the query's number.
    var queries: [Int: [ModelQuery.Result]] = [:]

    /// How it differs from what these documents show; nil when it does not.
    func difference(from document: (Int) -> ModelDocument?, _ queries: [ModelQuery]) -> String? {
        for (index, seen) in self.documents where document(index) != seen {
            let actual = String(describing: document(index))
            return "\(ModelWorld.names[index]) was \(String(describing: seen)), not \(actual)"
        }
        for (index, seen) in self.queries {
            let actual = queries[index].results(document)
            if actual != seen { return "query \(index) found \(seen), not \(actual)" }
        }
        return nil
    }
}
