import BrasaDocuments
import BrasaQueries
import BrasaRules
import Testing

typealias Filter = StructuredQuery.Filter

func field(_ path: String, _ op: Filter.FieldOperator, _ value: Value) throws -> Filter {
    .field(try FieldPath(parsing: path.utf8), op, value)
}

func unary(_ path: String, _ op: Filter.UnaryOperator) throws -> Filter {
    .unary(try FieldPath(parsing: path.utf8), op)
}

/// What a query's filter proves, and what it does not.
struct QueryProofTests {
    /// Whether a query of `t` with this filter is allowed for alice under `allow list: if` the condition.
    private func isAllowed(
        _ condition: String,
        _ filter: Filter?,
        in world: World = .table,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> Bool {
        let rules = try ruleset(wrapped("match /t/{id} { allow list: if \(condition); }"), location)
        let query = StructuredQuery(from: [.init(collectionID: "t")], filter: filter)
        return try rules.list(query, as: user("alice"), in: world).isAllowed
    }

    private func check(_ filter: Filter?, proves: [String], not refused: [String]) throws {
        for condition in proves { #expect(try self.isAllowed(condition, filter), "\(condition)") }
        for condition in refused { #expect(!(try self.isAllowed(condition, filter)), "\(condition)") }
    }

    @Test func `A lower bound`() throws {
        try self.check(
            try field("a", .greaterThan, .integer(2)),
            proves: [
                "resource.data.a > 0", "resource.data.a > 2", "resource.data.a >= 2", "resource.data.a != 2",
                "resource.data.a != 1", "resource.data.a != null", "0 < resource.data.a", "resource.data.a > 1.5",
                "2.0 <= resource.data.a", "'a' in resource.data",
            ],
            not: [
                "resource.data.a > 3", "resource.data.a == 3", "resource.data.a != 3", "resource.data.a < 2",
                "resource.data.a > '1'", "!(resource.data.a < 2)", "!(resource.data.a == 1)", "resource.data.a > 2.5",
                "resource.data.a + 1 > 2", "resource.data.a is int", "resource.data.a == resource.data.a",
                "resource.data.b > 0", "resource.data.a == null || resource.data.a < 0",
            ]
        )
    }

    @Test func `What rules do not order is not ordered by a filter`() throws {
        try self.check(
            try field("pub", .greaterThanOrEqual, .boolean(true)),
            proves: ["resource.data.pub != false", "resource.data.pub != null"],
            not: ["resource.data.pub >= true", "resource.data.pub > false", "resource.data.pub == true"]
        )
    }

    @Test func `Two bounds`() throws {
        try self.check(
            .composite(.and, [try field("a", .greaterThan, .integer(2)), try field("a", .lessThan, .integer(4))]),
            proves: ["resource.data.a > 1 && resource.data.a < 5", "resource.data.a != 5", "4 >= resource.data.a"],
            not: ["resource.data.a <= 3", "resource.data.a == 3", "resource.data.a >= 3"]
        )
    }

    @Test func `What a value is not`() throws {
        try self.check(
            try field("a", .notEqual, .integer(2)),
            proves: ["resource.data.a != 2", "resource.data.a != 2.0", "resource.data.a != null"],
            not: ["resource.data.a != 4", "resource.data.a != 'a'", "resource.data.a > 2 || resource.data.a < 2"]
        )
        try self.check(
            try field("a", .notIn, .array([.integer(2), .string("x")])),
            proves: ["resource.data.a != 2 && resource.data.a != 'x'", "resource.data.a != null"],
            not: ["resource.data.a != 4", "!(resource.data.a in [2])"]
        )
        for op in [Filter.UnaryOperator.isNotNull, .isNotNaN] {
            try self.check(
                try unary("a", op),
                proves: ["resource.data.a != null", "'a' in resource.data"],
                not: ["resource.data.a != 1", "resource.data.a == 1", "!(resource.data.a == null)"]
            )
        }
    }

    @Test func `Elements of an array`() throws {
        try self.check(
            try field("l", .arrayContains, .string("x")),
            proves: ["'x' in resource.data.l", "resource.data.l.hasAny(['x', 'y'])", "resource.data.l != null"],
            not: [
                "resource.data.l.hasAll(['x'])", "'y' in resource.data.l", "resource.data.l.size() > 0",
                "resource.data.l[0] == 'x'", "resource.data.l.hasAny(['y'])", "resource.data.l.hasAny(resource.data.l)",
            ]
        )
        try self.check(
            try field("l", .arrayContainsAny, .array([.string("x"), .string("y")])),
            proves: ["resource.data.l.hasAny(['x', 'y'])"],
            not: ["'x' in resource.data.l"]
        )
    }

    @Test func `A value is the value itself`() throws {
        try self.check(
            .composite(.and, [try field("s", .equal, .string("ab")), try field("m.k", .equal, .string("v"))]),
            proves: [
                "resource.data.s == 'ab'", "resource.data.s.size() == 2", "resource.data.s.matches('a.')",
                "resource.data.s + 'c' == 'abc'", "resource.data.s in ['ab']", "resource.data.m.k == 'v'",
                "resource.data.s is string", "resource.data['s'] == 'ab'", "resource.data.get('s', '') == 'ab'",
                "resource.data.get(['m', 'k'], '') == 'v'", "resource['data'].m['k'] == 'v'", "resource != null",
                "resource.data.m is map", "resource.data.m != null", "resource.data.m != 'v'",
                "!(resource.data.s < 'a')",
                "resource.get('data', {}).s == 'ab'",
            ],
            not: [
                "resource.data.s == 'b'", "resource.data.m == {'k': 'v'}", "resource.data.m.size() == 1",
                "resource.data.m.j == 2", "resource == null", "resource.id == 'x'", "[resource.data.m].size() == 0",
            ]
        )
        try self.check(try unary("n", .isNull), proves: ["resource.data.n == null"], not: ["resource.data.n != null"])
        try self.check(try unary("n", .isNaN), proves: ["math.isNaN(resource.data.n)"], not: ["resource.data.n == 1"])
    }

    /// An array or a map of numbers may be there in many ways; of such a value nothing but its presence is used.
    @Test func `A number is an integer or a float, whichever the filter gives`() throws {
        for value in [Value.integer(2), .double(2)] {
            try self.check(
                try field("a", .equal, value),
                proves: [
                    "resource.data.a == 2", "resource.data.a == 2.0", "resource.data.a + 1 == 3",
                    "resource.data.a is number",
                    "resource.data.a in [2, 2.0]", "resource.data.a in [2].toSet()", "resource.data.a <= 2",
                ],
                not: [
                    "resource.data.a is int", "resource.data.a in [2]", "resource.data.a / 4 == 0",
                    "string(resource.data.a) == '2'",
                ]
            )
        }
        try self.check(
            try field("a", .equal, .double(1.5)),
            proves: ["resource.data.a is float", "resource.data.a in [1.5]"],
            not: ["resource.data.a is int"]
        )
        try self.check(
            try field("a", .equal, .integer(0)),
            proves: ["resource.data.a == 0"],
            not: ["1.0 / resource.data.a > 0", "string(resource.data.a) == '0.0'"]
        )
        try self.check(
            try field("l", .equal, .array([.integer(1)])),
            proves: ["resource.data.l != null", "'l' in resource.data"],
            not: ["resource.data.l == [1]", "1 in resource.data.l", "resource.data.l.size() == 1"]
        )
        try self.check(
            try field("l", .equal, .array([.string("a")])),
            proves: ["resource.data.l == ['a']", "'a' in resource.data.l", "resource.data.l.size() == 1"],
            not: ["resource.data.l == []"]
        )
        try self.check(
            try field("l", .arrayContains, .integer(3)),
            proves: ["resource.data.l != null"],
            not: ["3 in resource.data.l", "resource.data.l.hasAny([3])"]
        )
    }

    /// Rules know numbers of 2⁵³ and more only as doubles, and order strings by UTF-16 units, queries do neither.
    @Test func `What queries and rules order differently proves nothing`() throws {
        let large: Int64 = 9_007_199_254_740_995
        try self.check(
            try field("a", .greaterThan, .integer(large)),
            proves: ["resource.data.a > 9007199254740991"],
            not: ["resource.data.a > \(large)", "resource.data.a != \(large)"]
        )
        try self.check(
            try field("s", .greaterThan, .string("\u{FFFD}")),
            proves: ["resource.data.s != 'a'"],
            not: ["resource.data.s > '\u{FFFD}'", "resource.data.s > 'a'"]
        )
        try self.check(
            try field("s", .greaterThan, .string("b")),
            proves: ["resource.data.s > 'a'", "resource.data.s >= 'b'"],
            not: ["resource.data.s > '\u{FFFD}'", "resource.data.s > b'a'"]
        )
    }

    @Test func `What a query does not say of its documents is not taken for absent`() throws {
        let conditions = [
            "resource.data.size() == 0", "resource.data == {}", "resource.data.get('owner', '') == ''",
            "!('owner' in resource.data)", "resource.data.keys().hasOnly(['a'])", "!(resource.data.a in [1])",
            "!(resource.data.a is int)", "resource.data.diff({}).affectedKeys().hasOnly(['a'])",
            "resource.data.values().size() == 1", "{}.diff(resource.data).removedKeys().size() < 2",
            "resource.data != {}", "{'a': resource.data}.size() == 1", "debug(resource.data) != {}",
            "resource.keys().size() == 1", "!('id' in resource)", "resource.data.get(['owner', 'x'], 1) == 1",
            "resource.data.a == resource.data.a", "[resource.data.a] == [resource.data.a]",
        ]
        try self.check(try field("a", .greaterThan, .integer(0)), proves: [], not: conditions)
        try self.check(nil, proves: [], not: conditions)
    }

    @Test func `Whatever the rule needs, errors and the unknown do not allow it`() throws {
        try self.check(
            nil,
            proves: ["true", "resource.data.a == 1 || true", "!(resource.data.a == 1 && false)", "f() || true"],
            not: ["resource.data.a == 1", "id == 'x'", "!(id == 'x')", "resource.data.a == 1 ? true : true"]
        )
    }

    @Test func `All ways in which a filter can hold must be allowed`() throws {
        let condition = "resource.data.owner == 'alice' || resource.data.pub == true"
        let alice = try field("owner", .equal, .string("alice"))
        let published = try field("pub", .equal, .boolean(true))
        #expect(try self.isAllowed(condition, .composite(.or, [alice, published])))
        #expect(!(try self.isAllowed(condition, .composite(.or, [alice, try field("a", .equal, .integer(1))]))))
        #expect(try self.isAllowed(condition, try field("owner", .in, .array([.string("alice")]))))
        #expect(!(try self.isAllowed(condition, try field("owner", .in, .array([.string("alice"), .string("bob")])))))
        // A filter that can never hold is judged like none.
        let never = Filter.composite(.and, [alice, try field("owner", .equal, .string("bob"))])
        #expect(!(try self.isAllowed(condition, never)))
        #expect(try self.isAllowed("true", never))
    }

    @Test func `A filter by name is judged by the document that it names`() throws {
        let database = try DatabaseName(project: "p", database: "(default)")
        func named(_ id: String) throws -> Filter {
            let name = try #require(DocumentName(database: database, path: try path("t/\(id)")))
            return .field(.documentName, .equal, .reference(name))
        }
        let condition = "resource.data.owner == 'alice' && id == 'x' && resource.id == id"
        #expect(try self.isAllowed(condition, try named("x")))
        #expect(!(try self.isAllowed(condition, try named("y"))))
        #expect(try self.isAllowed("resource == null", try named("none")))
    }

    @Test func `Documents that rules read may depend on the filter, not on what is found`() throws {
        let documents = "/databases/$(database)/documents"
        try self.check(
            try field("ref", .equal, .string("y")),
            proves: [
                "get(\(documents)/t/$(resource.data.ref)).data.owner == 'bob'", "exists(\(documents)/t/x)",
                "get(\(documents)/t/$(request.auth.uid)) == null",
            ],
            not: ["exists(\(documents)/t/$(resource.data.other))", "exists(\(documents)/t/$(id))"]
        )
    }

    @Test func `All ways of a query share its calls`() throws {
        let rules = try ruleset(
            wrapped(
                "match /t/{id} { allow list: if !exists(/databases/$(database)/documents/z/$(resource.data.s)); }"
            )
        )
        func isAllowed(_ count: Int) throws -> Bool {
            let values = (0..<count).map { Value.string(UTF8Text("v\($0)")) }
            let query = StructuredQuery(
                from: [.init(collectionID: "t")],
                filter: try field("s", .in, .array(values))
            )
            return try rules.list(query).isAllowed
        }
        #expect(try isAllowed(10))
        #expect(!(try isAllowed(11)))
    }

    @Test func `Each way has the budget of a decision, and the query one for all`() throws {
        let long = Array(repeating: "true", count: 90).joined(separator: " && ")
        let rules = try ruleset(wrapped("match /t/{id} { allow list: if resource.data.s is string && (\(long)); }"))
        func isAllowed(_ count: Int, _ limits: EvaluationLimits) throws -> Bool {
            let values = (0..<count).map { Value.string(UTF8Text("v\($0)")) }
            let query = StructuredQuery(
                from: [.init(collectionID: "t")],
                filter: try field("s", .in, .array(values))
            )
            return try rules.list(query, limits: limits).isAllowed
        }
        #expect(try isAllowed(30, EvaluationLimits(expressions: 275, work: .max)))
        #expect(!(try isAllowed(1, EvaluationLimits(expressions: 274))))
        #expect(try isAllowed(3, EvaluationLimits(expressionsOfQuery: 825)))
        #expect(!(try isAllowed(3, EvaluationLimits(expressionsOfQuery: 824))))
    }

    @Test func `A query knows its limit, offset and order`() throws {
        let condition =
            "request.query.limit == 5 && request.query.offset == 2 && request.query.orderBy == {'a': 'DESC'}"
        let rules = try ruleset(wrapped("match /t/{id} { allow list: if \(condition); }"))
        var query = StructuredQuery(from: [.init(collectionID: "t")])
        #expect(!(try rules.list(query).isAllowed))
        query.limit = 5
        query.offset = 2
        query.orderBy = [.init(field: try FieldPath(names: ["a"]), direction: .descending)]
        #expect(try rules.list(query).isAllowed)
        query.orderBy[0].direction = .ascending
        #expect(!(try rules.list(query).isAllowed))
    }

    @Test func `Queries of groups and of any collection need a segment for many`() throws {
        func isAllowed(_ pattern: String, _ collection: String, descendants: Bool, _ condition: String = "true") throws
            -> Bool
        {
            let rules = try ruleset(wrapped("match \(pattern) { allow list: if \(condition); }"))
            let selector = StructuredQuery.CollectionSelector(
                collectionID: UTF8Text(collection),
                allDescendants: descendants
            )
            return try rules.list(StructuredQuery(from: [selector])).isAllowed
        }
        #expect(!(try isAllowed("/t/{id}", "t", descendants: true)))
        #expect(try isAllowed("/{p=**}/t/{id}", "t", descendants: true))
        #expect(!(try isAllowed("/{p=**}/t/{id}", "u", descendants: true)))
        #expect(try isAllowed("/{p=**}/t/{id}", "t", descendants: false))
        #expect(!(try isAllowed("/{c}/{id}", "", descendants: false)))
        #expect(!(try isAllowed("/{p=**}/t/{id}", "", descendants: true)))
        #expect(try isAllowed("/{p=**}", "", descendants: true))
        for condition in ["p != /c/1", "string(p) == '/'", "p[0] != 'c'"] {
            #expect(!(try isAllowed("/{p=**}/t/{id}", "t", descendants: true, condition)), "\(condition)")
        }
        #expect(try isAllowed("/t/{id}/{rest=**}", "t", descendants: false, "string(rest) == '/'"))
        #expect(!(try isAllowed("/t/{rest=**}", "t", descendants: false, "string(rest) == '/'")))
    }

    /// A document that is found has a longer path: comparing the collection's says nothing of it.
    @Test func `Of the paths of what is found only the known segments are used`() throws {
        func isAllowed(_ condition: String, descendants: Bool) throws -> Bool {
            let rules = try ruleset(
                wrapped("function at(p, n) { return p[n]; } match /{p=**}/t/{id} { allow read: if \(condition); }")
            )
            let selector = StructuredQuery.CollectionSelector(collectionID: "t", allDescendants: descendants)
            return try rules.list(StructuredQuery(from: [selector])).isAllowed
        }
        let root = "/databases/$(database)/documents"
        for condition in [
            "request.path[0] == 'databases' && request.path[3] == 't'", "at(request.path, 1) == database",
            "request['path'][2] == 'documents'", "request.get('path', /a)[2] == 'documents'", "'path' in request",
            "request.path is path",
        ] {
            #expect(try isAllowed(condition, descendants: false), "\(condition)")
            // Where a group's documents are is not known at all.
            #expect(!(try isAllowed(condition, descendants: true)), "\(condition)")
        }
        for descendants in [false, true] {
            for condition in [
                "request != null && request.auth == null", "request.method == 'list'", "'auth' in request",
            ] {
                #expect(try isAllowed(condition, descendants: descendants), "\(condition) \(descendants)")
            }
            for condition in [
                "request.path != \(root)/t/x", "!(request.path == \(root)/t/x)", "request.path == \(root)/t",
                "!string(request.path).matches('.*/x')", "!(request.path in [\(root)/t/x])",
                "[request.path] != [\(root)/t/x]", "{'p': request.path} != {'p': \(root)/t/x}",
                "/a/$(request.path) != /a/databases/$(database)/documents/t/x", "!exists(request.path)",
                "request.path[4] == null", "request.path[4] != 'x'", "request.path[-1] != 'x'",
                "!('none' in request)", "!('resource' in request)", "request.get('path', null) == null",
                "request.get('path', null) != \(root)/t/x", "request.get('none', 1) == 1", "request.size() < 6",
                "!('resource' in request.keys())", "request != {}", "[request].size() == 1",
            ] {
                #expect(!(try isAllowed(condition, descendants: descendants)), "\(condition) \(descendants)")
            }
        }
    }

    @Test func `A query by name has the path of the document that it names`() throws {
        let database = try DatabaseName(project: "p", database: "(default)")
        let name = try #require(DocumentName(database: database, path: try path("t/y")))
        let filter = Filter.field(.documentName, .equal, .reference(name))
        #expect(try self.isAllowed("request.path != /databases/$(database)/documents/t/x", filter))
        #expect(!(try self.isAllowed("request.path != /databases/$(database)/documents/t/y", filter)))
        #expect(try self.isAllowed("!('resource' in request) && request.path[4] == 'y'", filter))
    }
}
