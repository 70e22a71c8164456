import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaStatus
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
        #expect(throws: Status(.invalidArgument, "Invalid order by clause \"\(text)\".")) {
            try ListOrder(parsing: UTF8Text(text))
        }
    }

    @Test func `A hundred clauses are the most`() throws {
        let clauses = (0..<100).map { "f\($0)" }
        #expect(try ListOrder(parsing: UTF8Text(clauses.joined(separator: ","))).fields.count == 100)
        #expect(throws: Status.self) {
            try ListOrder(parsing: UTF8Text((clauses + ["g"]).joined(separator: ",")))
        }
        #expect(throws: Status.self) {
            try ListOrder(parsing: UTF8Text(String(repeating: ",", count: 1_000_000)))
        }
    }

    @Test func `A query's order has the name, in the direction of the last field`() throws {
        for (text, expected) in [
            ("", ["__name__ asc"]), ("a, b desc", ["a asc", "b desc", "__name__ desc"]),
            ("a desc, __name__ asc", ["a desc", "__name__ asc"]),
        ] {
            let orders = try ListOrder(parsing: UTF8Text(text)).orders
            #expect(orders.map { "\($0.field.canonical) \($0.direction == .descending ? "desc" : "asc")" } == expected)
        }
    }
}
