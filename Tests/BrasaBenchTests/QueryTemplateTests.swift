import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaQueries
import BrasaStatus
import BrasaWire
import NIOCore
import Testing

@testable import BrasaBench

@Suite struct QueryTemplateTests {
    private static let kinds: [(number: Int, digits: Int)] = [(0, 1), (7, 1), (10, 2), (42, 2), (9_999, 4)]

    private static func message(kind: Int, from first: Int?) throws -> ByteBuffer {
        let isKind = StructuredQuery.Filter.field(
            try FieldPath(names: ["kind"]),
            .equal,
            .string(UTF8Text("kind-\(kind)"))
        )
        var query = StructuredQuery(from: [.init(collectionID: "rows", allDescendants: false)], filter: isKind)
        if let first {
            let number = try FieldPath(names: ["number"])
            query.filter = .composite(.and, [isKind, .field(number, .greaterThanOrEqual, .integer(Int64(first)))])
            query.orderBy = [.init(field: number, direction: .ascending)]
        }
        query.limit = 20
        let parent = try ParentName(parsing: Array("projects/p/databases/(default)/documents".utf8))
        var message = ByteBuffer()
        RunQueryRequest(parent: parent, query: query).encode(into: &message)
        return message
    }

    @Test(arguments: Self.kinds, [0, 1, 30, 127, 128, 129, 980, 16_383, 16_384, 999_980])
    func `A query is that of its kind and number`(_ kind: (number: Int, digits: Int), first: Int) throws {
        let least = [1: 0, 2: 10, 4: 1_000][kind.digits] ?? 0
        let width = QueryTemplate.width(first)
        let start = width == 1 ? 0 : 1 << (7 * (width - 1))
        let messages = try (0...1).map { try Self.message(kind: least, from: start + $0) }
        let made = QueryTemplate(digitCount: kind.digits, firstWidth: width) { messages[$0 - start] }
        let template = try #require(made)
        var message = ByteBuffer()
        template.write(kind: kind.number, first: first, into: &message)
        #expect(message == (try Self.message(kind: kind.number, from: first)))
    }

    @Test func `A query without a number is that of its kind`() throws {
        let messages = try (0...1).map { _ in try Self.message(kind: 10, from: nil) }
        let template = try #require(QueryTemplate(digitCount: 2) { messages[$0] })
        var message = ByteBuffer()
        template.write(kind: 35, first: 9, into: &message)
        #expect(message == (try Self.message(kind: 35, from: nil)))
    }

    @Test func `A message of another form makes no template`() {
        #expect(QueryTemplate(digitCount: 1) { _ in ByteBuffer(string: "sort-1") } == nil)
        #expect(QueryTemplate(digitCount: 2) { _ in ByteBuffer(string: "kind-1") } == nil)
        #expect(QueryTemplate(digitCount: 1) { ByteBuffer(string: $0 == 0 ? "kind-1" : "kind-1 ") } == nil)
        #expect(QueryTemplate(digitCount: 1) { ByteBuffer(string: $0 == 0 ? "kind-1ab" : "kind-1cd") } == nil)
        #expect(QueryTemplate(digitCount: 1) { ByteBuffer(string: $0 == 0 ? "kind-1a" : "kind-1b") } == nil)
        #expect(QueryTemplate(digitCount: 1) { ByteBuffer(bytes: Array("kind-1".utf8) + [UInt8($0)]) } != nil)
    }

    /// What comes of an answer of these messages.
    private static func outcome(
        _ expected: QueryAnswer.Expected,
        _ messages: [[UInt8]],
        _ code: StatusCode = .ok
    ) -> StatusCode? {
        var outcome: StatusCode?
        let answer = QueryAnswer(expected) { result in
            switch result {
            case .success: outcome = .ok
            case .failure(let failure): outcome = failure.status.code
            }
        }
        for message in messages { answer.received(message: ByteBuffer(bytes: message)) }
        answer.finished(GRPCCallResult(GRPCStatus(code, "")))
        return outcome
    }

    @Test func `An answer needs its status and its number of documents`() {
        let two = QueryAnswer.Expected.documents(2)
        let (document, time): ([UInt8], [UInt8]) = ([0x0A, 0], [0x1A, 0])
        #expect(Self.outcome(two, [document, document]) == .ok)
        #expect(Self.outcome(two, [time, document, document]) == .ok)
        #expect(Self.outcome(two, [document, time]) == .dataLoss)
        #expect(Self.outcome(two, [document, document, document]) == .dataLoss)
        #expect(Self.outcome(two, []) == .dataLoss)
        #expect(Self.outcome(two, [document, document], .unavailable) == .unavailable)
    }
}
