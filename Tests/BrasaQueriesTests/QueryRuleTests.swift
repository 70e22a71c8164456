import BrasaDocuments
import BrasaQueries
import Testing

/// What a query may not be, with the text that clients see.
struct QueryRuleTests {
    private typealias Filter = StructuredQuery.Filter
    private typealias Change = (inout StructuredQuery) throws -> Void

    private func refusal(_ change: Change, below parentPath: String = "") throws -> String? {
        let query = try structured(change)
        let parent = try parent(parentPath)
        do throws(QueryError) {
            _ = try Query(query, parent: parent)
            return nil
        } catch {
            #expect(error.code == .invalidArgument)
            return error.message
        }
    }

    private func check(_ rules: [(text: String?, change: Change)]) throws {
        for (index, rule) in rules.enumerated() {
            let found = try self.refusal(rule.change)
            #expect(found == rule.text, "rule \(index)")
        }
    }

    private static func equal(_ path: String, _ value: Value = .integer(1)) throws -> Filter {
        try .field(path, .equal, value)
    }

    private static func members(_ count: Int) -> Value { .array((0..<count).map { .integer(Int64($0)) }) }

    @Test func `Source, offset and limit`() throws {
        try self.check([
            (
                "StructuredQuery.from cannot have more than one collection selector.",
                { $0.from.append(.init(collectionID: "d")) }
            ),
            ("limit is negative", { $0.limit = -1 }),
            ("offset is negative", { $0.offset = -1 }),
            (nil, { ($0.limit, $0.offset) = (0, 0) }),
            ("Collection id \".\" is invalid because it is reserved.", { $0.from = [.init(collectionID: ".")] }),
            (
                "Collection id \"a/b\" is invalid because it contains \"/\".",
                { $0.from = [.init(collectionID: "a/b")] }
            ),
            (nil, { $0.from = [] }),
        ])
    }

    @Test func `A query of any collection knows nothing but names`() throws {
        let any: Change = { $0.from = [.init(collectionID: "", allDescendants: true)] }
        try self.check([
            (
                "kind is required for filter: a",
                {
                    try any(&$0); $0.filter = try Self.equal("a")
                }
            ),
            (
                "kind is required for filter: a",
                {
                    $0.from = []; $0.filter = try .unary("a", .isNull)
                }
            ),
            (
                "kind is required for all orders except __key__ ascending",
                {
                    try any(&$0); $0.orderBy = [.init(field: try field("a"))]
                }
            ),
            (
                "kind is required for all orders except __key__ ascending",
                {
                    try any(&$0); $0.orderBy = [.init(field: .documentName, direction: .descending)]
                }
            ),
            (
                nil,
                {
                    try any(&$0); $0.orderBy = [.init(field: .documentName)]
                }
            ),
            (
                nil,
                {
                    try any(&$0); $0.filter = try .field("__name__", .lessThan, try reference("c/a"))
                }
            ),
        ])
    }

    @Test func `Filters on names compare with references to the same database`() throws {
        let other = try reference("c/a", in: "projects/p/databases/e")
        let text =
            "The request was for database 'projects/p/databases/d' but was attempting to access database "
            + "'projects/p/databases/e'"
        try self.check([
            ("__key__ filter value must be a Key", { $0.filter = try .field("__name__", .equal, .string("c/a")) }),
            ("__key__ filter value must be a Key", { $0.filter = try .field("__name__", .in, .array([.null])) }),
            ("__key__ filter value must be a Key", { $0.filter = try .unary("__name__", .isNull) }),
            ("'NOT_IN' requires an ArrayValue.", { $0.filter = try .field("__name__", .notIn, .null) }),
            ("the name __key__ is reserved", { $0.filter = try .field("__name__", .arrayContains, .integer(1)) }),
            ("the name __key__ is reserved", { $0.filter = try .field("__name__", .arrayContainsAny, .array([])) }),
            (text, { $0.filter = try .field("__name__", .equal, other) }),
            (text, { $0.filter = try .field("__name__", .in, .array([other])) }),
            (nil, { $0.filter = try .field("a", .equal, other) }),
            (nil, { $0.filter = try .field("__name__", .equal, try reference("z/z")) }),
            (
                "Equality on key is not allowed if there are other inequality fields and key does not appear in "
                    + "inequalities.",
                {
                    $0.filter = .composite(
                        .and,
                        [
                            try .field("__name__", .equal, try reference("c/a")),
                            try .field("a", .lessThan, .integer(1)),
                        ]
                    )
                }
            ),
            (
                nil,
                {
                    $0.filter = .composite(
                        .and,
                        [
                            try .field("__name__", .equal, try reference("c/a")),
                            try .field("__name__", .lessThan, try reference("c/b")),
                            try .field("a", .lessThan, .integer(1)),
                        ]
                    )
                }
            ),
        ])
    }

    @Test func `Operators and operands`() throws {
        try self.check([
            ("Unknown Filter type.", { $0.filter = .unset }),
            ("Unknown Filter type.", { $0.filter = .composite(.and, [.unset, try Self.equal("a")]) }),
            ("Unsupported CompositeFilter operator.", { $0.filter = .composite(.unspecified, [try Self.equal("a")]) }),
            ("Unknown FieldFilter operator.", { $0.filter = try .field("a", .unspecified, .integer(1)) }),
            ("Unknown UnaryFilter operator.", { $0.filter = try .unary("a", .unspecified) }),
            ("Composite filter must have at least one sub-filter.", { $0.filter = .composite(.or, []) }),
            (nil, { $0.filter = .composite(.and, []) }),
            (nil, { $0.filter = .composite(.or, [.composite(.or, [try Self.equal("a")])]) }),
            ("Invalid empty property path string.", { $0.filter = .field(nil, .equal, .integer(1)) }),
            ("Invalid empty property path string.", { $0.filter = .unary(nil, .isNull) }),
            ("Cannot convert firestore.v1.Value with type unset.", { $0.filter = try .field("a", .equal, nil) }),
            ("'IN' requires an ArrayValue.", { $0.filter = try .field("a", .in, .integer(1)) }),
            ("'IN' requires an non-empty ArrayValue.", { $0.filter = try .field("a", .in, .array([])) }),
            ("'IN' supports up to 30 comparison values.", { $0.filter = try .field("a", .in, Self.members(31)) }),
            ("'NOT_IN' requires an ArrayValue.", { $0.filter = try .field("a", .notIn, .null) }),
            ("'NOT_IN' requires an non-empty ArrayValue.", { $0.filter = try .field("a", .notIn, .array([])) }),
            (
                "'NOT_IN' supports up to 10 comparison values.",
                { $0.filter = try .field("a", .notIn, Self.members(11)) }
            ),
            (
                "'ARRAY_CONTAINS_ANY' requires an ArrayValue.",
                { $0.filter = try .field("a", .arrayContainsAny, .vector([1])) }
            ),
            (
                "'ARRAY_CONTAINS_ANY' requires an non-empty ArrayValue.",
                { $0.filter = try .field("a", .arrayContainsAny, .array([])) }
            ),
            (
                "'ARRAY_CONTAINS_ANY' supports up to 30 comparison values.",
                { $0.filter = try .field("a", .arrayContainsAny, Self.members(31)) }
            ),
            (nil, { $0.filter = try .field("a", .in, Self.members(30)) }),
            (nil, { $0.filter = try .field("a", .notIn, Self.members(10)) }),
        ])
    }

    @Test func `Combinations of filters`() throws {
        let several = "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query."
        let notIn = "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'."
        let contains = "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction."
        let one = try Filter.field("t", .arrayContains, .integer(1))
        let any = try Filter.field("u", .arrayContainsAny, Self.members(2))
        let unequal = try Filter.field("a", .notEqual, .integer(1))
        let outside = try Filter.field("b", .notIn, Self.members(2))
        let inside = try Filter.field("c", .in, Self.members(2))
        try self.check([
            (several, { $0.filter = .composite(.and, [unequal, unequal]) }),
            (several, { $0.filter = .composite(.or, [unequal, try .unary("b", .isNotNull)]) }),
            (several, { $0.filter = .composite(.and, [outside, try .unary("b", .isNotNaN)]) }),
            (notIn, { $0.filter = .composite(.and, [outside, inside]) }),
            (notIn, { $0.filter = .composite(.and, [outside, any]) }),
            (notIn, { $0.filter = .composite(.or, [outside, try Self.equal("a")]) }),
            (notIn, { $0.filter = .composite(.or, [outside]) }),
            (contains, { $0.filter = .composite(.and, [one, one]) }),
            (contains, { $0.filter = .composite(.and, [one, .composite(.or, [any, inside])]) }),
            (nil, { $0.filter = .composite(.or, [one, any]) }),
            (nil, { $0.filter = .composite(.and, [unequal, inside]) }),
        ])
    }

    @Test func `Numbers of clauses`() throws {
        let fields = try (0..<11).map { try Filter.field("f\($0)", .greaterThan, .integer(0)) }
        let inside = { (path: String, count: Int) in try Filter.field(path, .in, Self.members(count)) }
        let disjunctions = { (count: Int) in
            "Too many disjunctions after normalization. Result had \(count) disjunctions which is more than the maximum "
                + "of 30"
        }
        let clauses = "The query may not have more than 100 filters + sort orders + ancestor total."
        try self.check([
            (
                "The query contains 11 distinct inequality fields: [f0, f1, f10, f2, f3, f4, f5, f6, f7, f8, f9]. A "
                    + "query may not have more than 10 distinct inequality fields.",
                { $0.filter = .composite(.and, fields) }
            ),
            (nil, { $0.filter = .composite(.and, Array(fields.dropLast())) }),
            (disjunctions(35), { $0.filter = .composite(.and, [try inside("a", 5), try inside("b", 7)]) }),
            (nil, { $0.filter = .composite(.and, [try inside("a", 5), try inside("b", 6)]) }),
            (disjunctions(31), { $0.filter = .composite(.or, [try inside("a", 30), try Self.equal("b")]) }),
            (
                disjunctions(32),
                {
                    let pair = Filter.composite(.or, [try Self.equal("a"), try Self.equal("b")])
                    $0.filter = .composite(.and, Array(repeating: pair, count: 5))
                }
            ),
            (
                disjunctions(Int.max),
                {
                    let pair = Filter.composite(.or, [try Self.equal("a"), try Self.equal("b")])
                    $0.filter = .composite(.and, Array(repeating: pair, count: 200))
                }
            ),
            // 25 disjunctions of 4 filters are 100.
            (nil, { $0.filter = try Self.wide(equalities: 3) }),
            (
                clauses,
                {
                    $0.filter = try Self.wide(equalities: 3); $0.orderBy = [.init(field: try field("a"))]
                }
            ),
            (clauses, { $0.filter = try Self.wide(equalities: 4) }),
        ])
        let wide = try self.refusal({ $0.filter = try Self.wide(equalities: 3) }, below: "x/y")
        #expect(wide == clauses)
    }

    private static func wide(equalities: Int) throws -> Filter {
        let equal = try (0..<equalities).map { try self.equal("e\($0)") }
        return .composite(.and, [try .field("i", .in, self.members(25))] + equal)
    }

    @Test func `Orders`() throws {
        try self.check([
            (
                "order by clause cannot contain duplicate fields a.b",
                { $0.orderBy = try ["a.b", "c", "`a`.b"].map { .init(field: try field($0)) } }
            ),
            (
                "order by clause cannot contain duplicate fields __key__",
                { $0.orderBy = [.init(field: .documentName), .init(field: .documentName)] }
            ),
            (
                "order by clause cannot contain more fields after the key",
                { $0.orderBy = [.init(field: .documentName), .init(field: try field("a"))] }
            ),
            (
                "order by clause cannot contain more fields after the key",
                {
                    $0.orderBy = [.init(field: .documentName)]; $0.filter = try .field("a", .notEqual, .integer(1))
                }
            ),
            (nil, { $0.orderBy = [.init(field: .documentName, direction: .descending)] }),
        ])
    }

    @Test func `Cursors`() throws {
        let byA: Change = { $0.orderBy = [.init(field: try field("a"))] }
        let byName: Change = { $0.orderBy = [.init(field: .documentName)] }
        let inside = try reference("c/a")
        try self.check([
            ("Cursor has too many values.", { $0.startAt = .init(values: [inside], before: true) }),
            (
                "Cursor has too many values.",
                {
                    try byA(&$0); $0.endAt = .init(values: [.null, inside], before: true)
                }
            ),
            (
                "Cursor __key__ value is not a document reference.",
                {
                    try byName(&$0); $0.startAt = .init(values: [.string("a")], before: true)
                }
            ),
            (
                "The request was for database 'projects/p/databases/d' but was attempting to access database "
                    + "'projects/p/databases/e'",
                {
                    try byName(&$0)
                    $0.endAt = .init(values: [try reference("c/a", in: "projects/p/databases/e")], before: true)
                }
            ),
            (nil, { $0.startAt = .init(values: [], before: false) }),
            (
                nil,
                {
                    try byA(&$0); $0.startAt = .init(values: [.null], before: false)
                }
            ),
        ])
    }
}
