import BrasaDocuments
import BrasaQueries
import Testing

struct ConjunctionTests {
    private typealias Filter = StructuredQuery.Filter

    private func disjunctions(_ filter: Filter?) throws -> [Conjunction] {
        try Query(structured { $0.filter = filter }, parent: parent()).disjunctions
    }

    @Test func `No filter is one way without terms, and an impossible filter is none`() throws {
        #expect(try self.disjunctions(nil) == [.always])
        #expect(try self.disjunctions(.composite(.and, [])) == [.always])
        let impossible: [Filter] = [
            try .field("a", .equal, .null), try .field("a", .equal, .double(.nan)),
            try .field("a", .in, .array([.null, .double(.nan)])), try .field("a", .lessThan, .null),
            try .field("a", .greaterThanOrEqual, .double(.nan)), try .field("a", .notEqual, .null),
            try .field("a", .notIn, .array([.integer(1), .null])), try .field("a", .arrayContains, .null),
            try .field("a", .arrayContains, .array([])), try .field("a", .arrayContainsAny, .array([.null])),
        ]
        for filter in impossible { #expect(try self.disjunctions(filter).isEmpty, "\(filter)") }
    }

    @Test func `Other values are compared with where nothing else depends on them`() throws {
        func query(_ filters: [Filter]) throws -> Query {
            try Query(structured { $0.filter = .composite(.and, filters) }, parent: parent())
        }
        func range(_ first: Int64, _ last: Int64) throws -> [Filter] {
            [
                try .field("a", .greaterThanOrEqual, .integer(first)), try .field("a", .lessThan, .integer(last)),
                try .field("b", .equal, .string("x")),
            ]
        }
        let asked = try query(range(1, 5))
        #expect(
            asked.comparing(with: [.integer(7), .double(9.5), .string("y")])?.disjunctions.first?.terms.count == 2
        )
        #expect(try asked.comparing(with: [.integer(1), .integer(5), .string("x")]) == query(range(1, 5)))
        let others: [[Value]] = [
            [.integer(5), .integer(1), .string("x")], [.integer(1), .integer(5), .integer(1)],
            [.integer(1), .integer(5), .null], [.integer(1), .integer(5)],
        ]
        for operands in others { #expect(asked.comparing(with: operands) == nil, "\(operands)") }
    }

    @Test func `Contradictions are left out, and what follows from an equality is not said twice`() throws {
        let one = try Filter.field("a", .equal, .integer(1))
        let more = try Filter.field("a", .greaterThan, .integer(1))
        let least = try Filter.field("a", .greaterThanOrEqual, .double(1))
        let text = try Filter.field("a", .lessThan, .string("x"))
        let a = try field("a")
        #expect(try self.disjunctions(.composite(.and, [one, more])).isEmpty)
        #expect(try self.disjunctions(.composite(.and, [more, text])).isEmpty)
        #expect(try self.disjunctions(.composite(.and, [one, try .field("a", .equal, .integer(2))])).isEmpty)
        #expect(
            try self.disjunctions(.composite(.and, [least, one])).map(\.terms) == [[Term(a, .equal(.integer(1)))]]
        )
        #expect(try self.disjunctions(.composite(.or, [.composite(.and, [one, more]), one])).count == 1)
    }

    @Test func `Ranges of one field become one`() throws {
        let found = try self.disjunctions(
            .composite(
                .and,
                [
                    try .field("a", .greaterThan, .integer(1)), try .field("a", .lessThan, .integer(9)),
                    try .field("a", .greaterThanOrEqual, .integer(1)), try .field("a", .lessThanOrEqual, .integer(9)),
                ]
            )
        )
        guard let term = found.first?.terms.first, case .range(let range) = term.condition else {
            Issue.record("\(found)")
            return
        }
        #expect(found.count == 1 && found[0].terms.count == 1)
        #expect(range.lower == .init(.integer(1), isInclusive: false))
        #expect(range.upper == .init(.integer(9), isInclusive: false))
        for value in [Value.integer(1), .double(1), .integer(9), .string("5"), .double(.nan), .null] {
            #expect(!range.contains(value))
        }
        for value in [Value.double(1.5), .integer(5), .double(8.999)] { #expect(range.contains(value)) }
    }

    @Test func `A range's ends in the space of keys hold exactly its values`() throws {
        let values: [Value] = [
            .null, .boolean(false), .double(.nan), .double(-.infinity), .integer(0), .double(0), .integer(1),
            .double(.infinity), .timestamp(Timestamp(microseconds: 0)), .string(""), .string("a"), .string("a\u{0}"),
            .bytes([]), .bytes([0]), .array([]), .array([.integer(1)]), .vector([1]), .map([]),
        ]
        for bound in values where !ValueClass(of: bound).isIncomparable {
            for isInclusive in [true, false] {
                let ranges = [
                    ValueRange(from: .init(bound, isInclusive: isInclusive)),
                    ValueRange(to: .init(bound, isInclusive: isInclusive)),
                ]
                for range in ranges {
                    for value in values {
                        let key = OrderPreservingKey(value).bytes
                        #expect((range.start.isBefore(key) && !range.end.isBefore(key)) == range.contains(value))
                    }
                }
            }
        }
    }

    @Test func `Members of lists are ways, products multiply, and equal ways are one`() throws {
        let list = { (path: String, members: [Int64]) in
            try Filter.field(path, .in, .array(members.map { .integer($0) }))
        }
        #expect(try self.disjunctions(.composite(.and, [list("a", [1, 2, 3]), list("b", [1, 2])])).count == 6)
        #expect(try self.disjunctions(list("a", [1, 1, 2])).count == 2)
        #expect(try self.disjunctions(.composite(.or, [list("a", [1, 2]), list("b", [1])])).count == 3)
        let any = try self.disjunctions(try .field("t", .arrayContainsAny, .array([.integer(1), .null, .string("")])))
        #expect(
            any.map(\.terms) == [
                [Term(try field("t"), .arrayContains(.integer(1)))],
                [Term(try field("t"), .arrayContains(.string("")))],
            ]
        )
    }

    @Test func `Names that the filter asks for narrow the scope`() throws {
        let names = { (filter: Filter) in
            try Query(structured { $0.filter = filter }, parent: parent()).names
        }
        let among = try names(try .field("__name__", .in, .array([try reference("c/m"), try reference("c/b")])))
        #expect(among.lower == NameBound(path: try path("c/b"), isInclusive: true))
        #expect(among.upper == NameBound(path: try path("c/m"), isInclusive: true))
        let low = try Filter.field("__name__", .greaterThan, try reference("c/b"))
        let other = try Filter.field("a", .equal, .integer(1))
        let both = try names(.composite(.and, [low, .composite(.and, [other])]))
        #expect(both.lower == NameBound(path: try path("c/b"), isInclusive: false) && both.upper == nil)
        #expect(try names(.composite(.or, [low, other])).lower == nil)
    }
}
