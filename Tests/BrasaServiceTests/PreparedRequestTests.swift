import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaQueryModel
import BrasaWire
import NIOCore
import Testing

@testable import BrasaService

/// What is known of a message, by itself or by others that differ in values alone, is what reading it would come to.
@Suite struct PreparedRequestTests {
    private let queries = RecentRequests<Query>()

    private static func read(_ message: ByteBuffer) -> AskedQuery? {
        (try? RunQueryRequest(decoding: message)).map { AskedQuery($0) }
    }

    /// Asks, and compares what is known with what is read. Nil: nothing was known.
    private func ask(_ message: ByteBuffer) throws -> AskedQuery? {
        switch self.queries.find(message, outline: { QueryOutline(ofQuery: $0) }) {
        case .new(let request):
            if let asked = Self.read(message) { self.queries.note(asked, of: request) }
            return nil
        case .known(let asked):
            let read = try #require(Self.read(message), "no request is known as one")
            #expect(asked.checked == read.checked)
            #expect(asked.head.query == read.head.query && asked.head.database == read.head.database)
            #expect(asked.head.consistency == read.head.consistency && asked.head.explain == read.head.explain)
            return asked
        }
    }

    @Test func `Queries with other values are what reading them comes to`() throws {
        var generator = QueryCaseGenerator(seed: 15, database: ServiceUnderTest.database)
        var prepared = 0
        for _ in 0..<2_000 {
            let (query, parent) = generator.query(on: [])
            for _ in 0..<5 {
                let other = RunQueryRequest(parent: parent, query: generator.varied(query))
                let asked = try self.ask(message(of: other))
                prepared += asked?.prepared == nil ? 0 : 1
            }
        }
        #expect(prepared > 500, "\(prepared)")
    }

    /// Whatever the bytes say: another field, operator, order, limit or length.
    @Test func `A message that is like a known one but for any byte is itself, or refused`() throws {
        var generator = QueryCaseGenerator(seed: 16, database: ServiceUnderTest.database)
        var known = 0
        for number in 0..<24 {
            let query = generator.conjunction(number)
            for _ in 0..<3 {
                _ = try self.ask(message(of: RunQueryRequest(parent: parent(), query: generator.varied(query))))
            }
            let own = message(of: RunQueryRequest(parent: try parent(), query: query))
            let bytes = Array(own.readableBytesView)
            for index in bytes.indices {
                for byte in [0, 1, 0x7F, 0x80, bytes[index] ^ 8, bytes[index] ^ 1, bytes[index] &+ 1] {
                    var changed = bytes
                    changed[index] = byte
                    known += try self.ask(ByteBuffer(bytes: changed)) == nil ? 0 : 1
                }
            }
        }
        #expect(known > 500, "\(known)")
    }

    /// Each way of putting them together comes with several values, so that it is known if it ever is.
    @Test func `Messages put together from parts of others are themselves, or refused`() throws {
        var generator = QueryCaseGenerator(seed: 17, database: ServiceUnderTest.database)
        let parent = try parent()
        let messages = (0..<6).map { number in
            let query = generator.conjunction(number)
            return (0..<4).map { _ in
                let other = RunQueryRequest(parent: parent, query: generator.varied(query))
                return Array(message(of: other).readableBytesView)
            }
        }
        var prepared = 0
        for _ in 0..<4_000 {
            let (left, right) = (generator.random.pick(messages), generator.random.pick(messages))
            let (end, start) = (generator.random.below(left[0].count + 1), generator.random.below(right[0].count + 1))
            for (left, right) in zip(left, right) {
                for bytes in [left.prefix(end) + right.dropFirst(start), left + right.dropFirst(start)] {
                    prepared += try self.ask(ByteBuffer(bytes: Array(bytes)))?.prepared == nil ? 0 : 1
                }
            }
        }
        #expect(prepared > 40, "\(prepared)")
    }

    @Test func `What is asked in a transaction, at a time or for an explanation is like nothing else`() throws {
        let parent = try parent()
        let kinds: [(ReadConsistency, ExplainOptions?)] = [
            (.transaction([1]), nil), (.newTransaction(.readWrite(retry: [])), nil),
            (.readTime(ReadTime(Timestamp(microseconds: 1), isMicrosecondAligned: true)), nil),
            (.strong, ExplainOptions(analyze: true)),
        ]
        for (consistency, explain) in kinds {
            for number in 0..<6 {
                let query = StructuredQuery(
                    from: [.init(collectionID: "c")],
                    filter: .field(try FieldPath(names: ["a"]), .equal, .integer(Int64(number)))
                )
                let request = RunQueryRequest(parent: parent, query: query, consistency: consistency, explain: explain)
                #expect(try self.ask(message(of: request)) == nil)
            }
        }
    }

    @Test func `An aggregation with other values is what reading it comes to`() throws {
        let parent = try parent()
        let aggregations = RecentRequests<AggregationQuery>()
        var prepared = 0
        for number in 0..<12 {
            let filter = StructuredQuery.Filter.field(try FieldPath(names: ["a"]), .equal, .integer(Int64(number)))
            let query = StructuredAggregationQuery(
                query: StructuredQuery(from: [.init(collectionID: "c")], filter: filter),
                aggregations: [
                    .init(number % 2 == 0 ? .count(upTo: nil) : .sum(try FieldPath(names: ["b"])), alias: "n")
                ]
            )
            let message = message(of: RunAggregationQueryRequest(parent: parent, query: query))
            let read = AskedAggregation(try RunAggregationQueryRequest(decoding: message))
            switch aggregations.find(message, outline: { QueryOutline(ofAggregation: $0) }) {
            case .new(let request): aggregations.note(read, of: request)
            case .known(let asked):
                #expect(asked.checked == read.checked)
                prepared += asked.prepared == nil ? 0 : 1
            }
        }
        #expect(prepared == 8)
    }
}

extension QueryCaseGenerator {
    /// Conditions side by side, which most requests have.
    fileprivate mutating func conjunction(_ number: Int) -> StructuredQuery {
        let fields = ["a", "b", "c"].compactMap { try? FieldPath(names: [UTF8Text($0)]) }
        let filters = fields.prefix(1 + number % 3).map { field in
            let op: StructuredQuery.Filter.FieldOperator = self.random.pick([
                .equal, .lessThan, .notEqual, .arrayContains,
            ])
            return StructuredQuery.Filter.field(field, op, self.anyValue())
        }
        let orders = [StructuredQuery.Order(field: fields[0], direction: self.random.pick([.ascending, .descending]))]
        let filter = filters.count == 1 ? filters[0] : .composite(.and, filters)
        return StructuredQuery(from: [.init(collectionID: "c")], filter: filter, orderBy: orders, limit: 5)
    }
}
