import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaWire
import NIOCore

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
    /// By the number of a kind's digits less one, and how many bytes the number has from which it asks, less one.
    private var templates: [[QueryTemplate]] = []
    /// What each answer has to be.
    private(set) var expected = QueryAnswer.Expected.documents(Self.limit)

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
        self.templates = try (1...String(self.kinds).count).map { digits in
            try (1...QueryTemplate.width(self.firstMax)).map { try self.template(digits: digits, firstWidth: $0) }
        }
        if query.shape == .count { self.expected = self.expectedCount }
    }

    private func template(digits: Int, firstWidth: Int) throws -> QueryTemplate {
        let kind = digits == 1 ? 0 : (1..<digits).reduce(1) { power, _ in power * 10 }
        let template = QueryTemplate(digitCount: digits, firstWidth: firstWidth) { first in
            var message = ByteBuffer()
            switch self.call(kind: kind, from: first).request {
            case .query(let request): request.encode(into: &message)
            case .count(let request): request.encode(into: &message)
            }
            return message
        }
        guard let template else { throw BenchError("the message of a query has another form than expected") }
        return template
    }

    /// The number stands before the time, and is all but the end of it.
    private var expectedCount: QueryAnswer.Expected {
        let count = RunAggregationQueryResponse.Field(alias: "field_1", value: .integer(Int64(self.query.matches)))
        var start = ByteBuffer()
        RunAggregationQueryResponse(result: [count], readTime: nil).encode(into: &start)
        return QueryAnswer.Expected(start: Array(start.readableBytesView), count: 1)
    }

    private var collection: String { self.query.shape == .group ? "parts" : "rows" }

    private func kind(_ index: Int) -> Value { .string(UTF8Text("\(QueryTemplate.head)\(index)")) }

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

    private var kinds: Int { max(1, min(self.query.queried, self.documents) / self.query.matches) }

    /// The next query, to be looked into.
    func next(using generator: inout some RandomNumberGenerator) -> Call {
        let (kind, first) = self.values(using: &generator)
        return self.call(kind: kind, from: first)
    }

    /// The same as its message.
    func write(using generator: inout some RandomNumberGenerator, into message: inout ByteBuffer) {
        let (kind, first) = self.values(using: &generator)
        var digits = 1
        var bound = 10
        while kind >= bound { (digits, bound) = (digits + 1, bound * 10) }
        self.templates[digits - 1][QueryTemplate.width(first) - 1].write(kind: kind, first: first, into: &message)
    }

    private func values(using generator: inout some RandomNumberGenerator) -> (kind: Int, first: Int) {
        let kind = Int.random(in: 0..<self.kinds, using: &generator)
        return (kind, Int.random(in: 0...self.firstMax, using: &generator))
    }

    /// From there on a kind has just as many documents as a query wants.
    private var firstMax: Int { self.query.matches - Self.limit }

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
