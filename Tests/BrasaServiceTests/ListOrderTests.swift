import BrasaDocuments
import BrasaGRPC
import Testing

@testable import BrasaService

@Suite struct ListOrderTests {
    @Test(arguments: [
        ("", "__name__ asc"),
        ("__name__", "__name__ asc"),
        ("__name__ desc", "__name__ desc"),
        ("a", "a asc, __name__ asc"),
        ("a desc", "a desc, __name__ desc"),
        ("a DESC", "a desc, __name__ desc"),
        ("  a   desc ,b.c asc", "a desc, b.c asc, __name__ asc"),
        ("a desc, __name__", "a desc, __name__ asc"),
        ("a asc, __name__ desc", "a asc, __name__ desc"),
        ("`x, y` desc", "`x, y` desc, __name__ desc"),
        ("`a\\`, b`", "`a\\`, b` asc, __name__ asc"),
        ("asc", "asc asc, __name__ asc"),
    ])
    func `The grammar of order_by`(_ text: String, _ expected: String) throws {
        let order = try ListOrder(parsing: UTF8Text(text))
        let clauses = order.fields.map { "\($0.path.canonical) \($0.isDescending ? "desc" : "asc")" }
        let name = "__name__ \(order.isNameDescending ? "desc" : "asc")"
        #expect((clauses + [name]).joined(separator: ", ") == expected)
    }

    @Test(arguments: [
        "a sideways", "a,", ",a", "a,,b", " ", "a b", "`a", "a desc desc", "__name__, a", "a..b", "a asc b",
    ])
    func `What the grammar does not know is refused by its text`(_ text: String) {
        #expect(throws: GRPCStatus(.invalidArgument, "Invalid order by clause \"\(text)\".")) {
            try ListOrder(parsing: UTF8Text(text))
        }
    }

    @Test func `A hundred clauses are the most`() throws {
        let clauses = (0..<100).map { "f\($0)" }
        #expect(try ListOrder(parsing: UTF8Text(clauses.joined(separator: ","))).fields.count == 100)
        #expect(throws: GRPCStatus.self) {
            try ListOrder(parsing: UTF8Text((clauses + ["g"]).joined(separator: ",")))
        }
        #expect(throws: GRPCStatus.self) {
            try ListOrder(parsing: UTF8Text(String(repeating: ",", count: 1_000_000)))
        }
    }

    private func key(_ order: String, _ path: String, _ entries: [(String, Value)]) throws -> [UInt8]? {
        let time = Timestamp(microseconds: 1)
        let document = Document(fields: fields(entries), createTime: time, updateTime: time)
        return try ListOrder(parsing: UTF8Text(order)).key(of: document, at: try name(path).path)
    }

    @Test func `Keys compare like the documents`() throws {
        let ascending = try [
            self.key("a, b desc", "c/z", [("a", .integer(1)), ("b", .string("x"))]),
            self.key("a, b desc", "c/a", [("a", .double(1.5)), ("b", .string("xy"))]),
            self.key("a, b desc", "c/b", [("a", .double(1.5)), ("b", .string("x"))]),
            self.key("a, b desc", "c/a", [("a", .double(1.5)), ("b", .string("x"))]),
            self.key("a, b desc", "c/a", [("a", .string("")), ("b", .null)]),
        ].map { try #require($0) }
        // By the last clause's direction, names descend.
        for (lower, higher) in zip(ascending, ascending.dropFirst()) {
            #expect(ByteOrder.compare(lower, higher) == .ascending)
        }
    }

    @Test func `A document without one of the fields has no place`() throws {
        #expect(try self.key("a, b", "c/x", [("a", .integer(1))]) == nil)
        #expect(try self.key("a.b", "c/x", [("a", .map([]))]) == nil)
        #expect(try self.key("a, b", "c/x", [("a", .null), ("b", .null)]) != nil)
    }
}
