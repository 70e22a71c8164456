import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaWire

/// Documents and the queries of them that `BenchPlan.Query` describes.
struct QueryWorkload: Sendable {
    enum Request {
        case query(RunQueryRequest)
        case count(RunAggregationQueryRequest)
    }

    struct Call {
        var request: Request
        /// The documents that the answer must hold, or what it must count.
        var answer: Int
    }

    static let limit = 20
    /// Prime, so that a walk in such steps meets every document once: neighbours in a query are none in memory.
    private static let step = 7_368_787

    private let query: BenchPlan.Query
    private let documents: Int
    private let database: DatabaseName
    private let root: ParentName
    private let padding: [Value.MapEntry]
    private let kind: FieldPath
    private let number: FieldPath

    init(_ query: BenchPlan.Query, plan: BenchPlan, database: DatabaseName) throws {
        guard query.matches >= Self.limit, query.matches <= plan.documents else {
            throw BenchError("queries need at least \(Self.limit) documents of a kind, and no more than there are")
        }
        guard !plan.documents.isMultiple(of: Self.step) else {
            throw BenchError("the number of documents must not be a multiple of \(Self.step)")
        }
        self.query = query
        self.documents = plan.documents
        self.database = database
        self.root = try ParentName(parsing: "\(database.string)/documents".utf8)
        self.padding = BenchFields.entries(text: plan.documentBytes - 40, count: plan.fields)
        self.kind = try FieldPath(names: ["kind"])
        self.number = try FieldPath(names: ["number"])
    }

    private var collection: String { self.query.shape == .group ? "parts" : "rows" }

    private func kind(_ index: Int) -> Value { .string(UTF8Text("kind-\(index)")) }

    /// The document at a place in the order of writing.
    func write(_ place: Int) throws -> Write {
        let index = place * Self.step % self.documents
        let parent = self.query.shape == .group ? "wholes/\(index % max(1, self.documents / 20))/" : ""
        let path = "\(parent)\(self.collection)/document-\(index * Self.step % self.documents)"
        let name = try DocumentName(parsing: "\(self.database.string)/documents/\(path)".utf8)
        let entries =
            self.padding + [
                Value.MapEntry(key: "kind", value: self.kind(index / self.query.matches)),
                Value.MapEntry(key: "number", value: .integer(Int64(index % self.query.matches))),
            ]
        let sorted = entries.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
        return Write(name: name, operation: .set(EncodedFields(encoding: sorted)))
    }

    func next(using generator: inout some RandomNumberGenerator) -> Call {
        let kinds = max(1, min(self.query.queried, self.documents) / self.query.matches)
        let kind = Int.random(in: 0..<kinds, using: &generator)
        let first = Int.random(in: 0...(self.query.matches - Self.limit), using: &generator)
        return self.call(kind: kind, from: first)
    }

    private func call(kind: Int, from first: Int) -> Call {
        let isKind = StructuredQuery.Filter.field(self.kind, .equal, self.kind(kind))
        var asked = StructuredQuery(
            from: [.init(collectionID: UTF8Text(self.collection), allDescendants: self.query.shape == .group)],
            filter: isKind
        )
        if self.query.shape == .count {
            let counting = StructuredAggregationQuery(query: asked, aggregations: [.init(.count(upTo: nil))])
            let request = RunAggregationQueryRequest(parent: self.root, query: counting)
            return Call(request: .count(request), answer: self.query.matches)
        }
        let isLate = StructuredQuery.Filter.field(self.number, .greaterThanOrEqual, .integer(Int64(first)))
        asked.filter = .composite(.and, [isKind, isLate])
        asked.orderBy = [.init(field: self.number, direction: .ascending)]
        asked.limit = Int32(Self.limit)
        return Call(request: .query(RunQueryRequest(parent: self.root, query: asked)), answer: Self.limit)
    }
}
