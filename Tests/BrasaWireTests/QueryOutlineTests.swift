import BrasaDocuments
import BrasaMessages
import NIOCore
import Testing

@testable import BrasaWire

/// Which requests are taken apart, and which are alike then.
@Suite struct QueryOutlineTests {
    typealias Build = @Sendable (inout FieldWriter) -> Void

    private static let root = "projects/p/databases/d/documents"

    /// A condition on a field, with whatever its message has besides.
    private static func condition(
        _ value: @escaping Build,
        on field: String = "a",
        op: UInt64 = 5,
        _ more: @escaping Build = { _ in }
    ) -> Build {
        { filter in
            filter.field(2) { condition in
                condition.field(1) { $0.field(2, field) }
                condition.field(2, varint: op)
                condition.field(3, value)
                more(&condition)
            }
        }
    }

    private static func conjunction(_ filters: Build..., op: UInt64 = 1) -> Build {
        { filter in
            filter.field(1) { composite in
                composite.field(1, varint: op)
                for member in filters { composite.field(2, member) }
            }
        }
    }

    private static func integer(_ number: UInt64) -> Build { { $0.field(2, varint: number) } }
    private static func text(_ text: String) -> Build { { $0.field(17, text) } }

    private static func request(
        where filter: @escaping Build,
        query more: @escaping Build = { _ in },
        _ besides: @escaping Build = { _ in }
    ) -> ByteBuffer {
        FieldWriter.message { request in
            request.field(1, Self.root)
            request.field(2) { query in
                query.field(2) { $0.field(2, "c") }
                query.field(3, filter)
                more(&query)
            }
            besides(&request)
        }
    }

    private static func outline(_ message: ByteBuffer) -> [UInt8]? { QueryOutline(ofQuery: message)?.bytes }

    @Test func `Requests that differ in values alone are alike`() {
        let first = Self.conjunction(Self.condition(Self.integer(1)), Self.condition(Self.text("x"), on: "b", op: 3))
        let second = Self.conjunction(
            Self.condition(Self.integer(1 << 40)),
            Self.condition(Self.text(String(repeating: "y", count: 200)), on: "b", op: 3)
        )
        let outlines = [first, second].map { QueryOutline(ofQuery: Self.request(where: $0)) }
        #expect(outlines[0] != nil && outlines[0]?.bytes == outlines[1]?.bytes)
        #expect(outlines[0]?.operands == [.integer(1), .string("x")])
    }

    static let others: [(String, ByteBuffer)] = [
        ("another field", request(where: condition(integer(1), on: "b"))),
        ("another operator", request(where: condition(integer(1), op: 4))),
        ("a value of another class", request(where: condition(text("1")))),
        ("a conjunction of one", request(where: conjunction(condition(integer(1))))),
        ("a conjunction of two", request(where: conjunction(condition(integer(1)), condition(integer(1))))),
        ("a disjunction", request(where: conjunction(condition(integer(1)), condition(integer(1)), op: 2))),
        ("a limit", request(where: condition(integer(1)), query: { $0.field(5) { $0.field(1, varint: 3) } })),
        ("an offset", request(where: condition(integer(1)), query: { $0.field(6, varint: 3) })),
        (
            "an order",
            request(where: condition(integer(1)), query: { $0.field(4) { $0.field(1) { $0.field(2, "a") } } })
        ),
        ("another parent", request(where: condition(integer(1)), query: { _ in }, { $0.field(1, Self.root + "/c/d") })),
        ("an unknown field of the query", request(where: condition(integer(1)), query: { $0.field(99, varint: 1) })),
    ]

    @Test func `Requests that differ in anything else are not`() {
        let outlines = ([("", Self.request(where: Self.condition(Self.integer(1))))] + Self.others).map {
            Self.outline($0.1)
        }
        #expect(outlines.allSatisfy { $0 != nil })
        #expect(Set(outlines).count == outlines.count)
    }

    static let refused: [(String, ByteBuffer)] = [
        (
            "no filter",
            FieldWriter.message {
                $0.field(1, root); $0.field(2) { $0.field(6, varint: 1) }
            }
        ),
        ("a value that comes twice", request(where: condition(integer(1)) { $0.field(3, integer(2)) })),
        ("no value", request(where: { $0.field(2) { $0.field(1) { $0.field(2, "a") } } })),
        ("an empty value", request(where: condition({ _ in }))),
        ("a list", request(where: condition({ $0.field(9) { $0.field(1, integer(1)) } }, op: 8))),
        ("text that is none", request(where: condition({ $0.field(17, [0xFF]) }))),
        (
            "a unary filter",
            request(where: {
                $0.field(3) {
                    $0.field(1, varint: 3); $0.field(2) { $0.field(2, "a") }
                }
            })
        ),
        (
            "two filters in one",
            request(where: {
                condition(integer(1))(&$0); condition(integer(1), on: "b")(&$0)
            })
        ),
        (
            "a condition and a conjunction",
            request(where: {
                condition(integer(1))(&$0); conjunction()(&$0)
            })
        ),
        (
            "an unknown field of the filter",
            request(where: {
                condition(integer(1))(&$0); $0.field(99, varint: 1)
            })
        ),
        ("a conjunction in another", request(where: conjunction(conjunction(condition(integer(1)))))),
        (
            "a filter that comes twice",
            request(where: condition(integer(1)), query: { $0.field(3, condition(integer(1))) })
        ),
        ("a query that comes twice", request(where: condition(integer(1)), query: { _ in }, { $0.field(2) { _ in } })),
        ("a transaction", request(where: condition(integer(1)), query: { _ in }, { $0.field(5, "t") })),
        ("a new transaction", request(where: condition(integer(1)), query: { _ in }, { $0.field(6) { _ in } })),
        (
            "a read time",
            request(where: condition(integer(1)), query: { _ in }, { $0.field(7) { $0.field(1, varint: 1) } })
        ),
        ("an explanation", request(where: condition(integer(1)), query: { _ in }, { $0.field(10) { _ in } })),
        (
            "an unknown field of the request",
            request(where: condition(integer(1)), query: { _ in }, { $0.field(99, "x") })
        ),
        ("a value that is a number", request(where: { $0.field(2) { $0.field(3, varint: 1) } })),
    ]

    @Test(arguments: refused.map(\.0).indices)
    func `Of others there is no outline`(number: Int) {
        #expect(Self.outline(Self.refused[number].1) == nil, "\(Self.refused[number].0)")
    }

    /// Whoever unpacks such messages refuses varints of more than five bytes there.
    @Test func `Of tags and lengths of more than three bytes there is no outline`() {
        let value: [UInt8] = [0x10, 0x01]
        func request(_ head: [UInt8]) -> ByteBuffer {
            Self.request(where: { $0.field(2, [0x0A, 0x03, 0x12, 0x01, 0x61, 0x10, 0x05] + head + value) })
        }
        #expect(Self.outline(request([0x1A, 0x02])) != nil)
        for head: [UInt8] in [
            [0x9A, 0x00, 0x02], [0x9A, 0x80, 0x80, 0x80, 0x80, 0x00, 0x02], [0x1A, 0x82, 0x80, 0x00],
            [0x1A, 0x82, 0x80, 0x80, 0x80, 0x80, 0x00],
        ] {
            #expect(Self.outline(request(head)) == nil, "\(head)")
        }
    }

    @Test func `What an aggregation asks for is a part of its outline`() {
        func outline(_ number: UInt64, _ aggregation: @escaping Build) -> [UInt8]? {
            let message = FieldWriter.message { request in
                request.field(1, Self.root)
                request.field(2) { aggregated in
                    aggregated.field(1) { $0.field(3, Self.condition(Self.integer(number))) }
                    aggregated.field(3, aggregation)
                }
            }
            return QueryOutline(ofAggregation: message)?.bytes
        }
        let count: Build = { $0.field(1) { _ in } }
        let countUpTo: Build = { $0.field(1) { $0.field(1) { $0.field(1, varint: 5) } } }
        let sum: Build = { $0.field(2) { $0.field(1) { $0.field(2, "a") } } }
        for aggregation in [count, countUpTo, sum] {
            #expect(outline(1, aggregation) != nil && outline(1, aggregation) == outline(2, aggregation))
        }
        #expect(Set([count, countUpTo, sum].map { outline(1, $0) }).count == 3)
    }

    @Test func `A byte that is not the value's makes another outline, or none`() throws {
        let message = Array(Self.request(where: Self.conjunction(Self.condition(Self.integer(300)))).readableBytesView)
        for count in message.indices { _ = Self.outline(ByteBuffer(bytes: message[..<count])) }
        let own = try #require(QueryOutline(ofQuery: ByteBuffer(bytes: message)))
        var others = 0
        for index in message.indices {
            for byte in UInt8.min...UInt8.max where byte != message[index] {
                var changed = message
                changed[index] = byte
                guard let outline = QueryOutline(ofQuery: ByteBuffer(bytes: changed)) else { continue }
                #expect(outline.bytes != own.bytes || outline.operands != own.operands)
                others += outline.bytes == own.bytes ? 0 : 1
            }
        }
        #expect(others > 1_000, "\(others)")
    }
}
