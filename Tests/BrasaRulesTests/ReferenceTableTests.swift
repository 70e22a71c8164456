import BrasaDocuments
import BrasaQueries
import BrasaRules
import Testing

/// The reference's table, row by row.
struct ReferenceTableTests {
    enum Result: Equatable {
        case allow, refused, error, none, compile
    }

    struct Row: CustomTestStringConvertible {
        var number: Int
        var rule: String
        var result: Result
        var name = "t/x"
        var auth: RuleAuth?

        init(_ number: Int, _ rule: String, _ result: Result, _ name: String = "t/x", as uid: String? = nil) {
            self.number = number
            self.rule = rule
            self.result = result
            self.name = name
            self.auth = uid.map { user($0) }
        }

        var testDescription: String { "\(self.number): \(self.rule)" }

        /// `get: E` is short for a block of collection `t`.
        var source: String {
            let documents = "/databases/$(database)/documents/"
            let body = self.rule.replacing("~/", with: documents)
            guard let method = RuleMethod.allCases.first(where: { body.hasPrefix("\($0.rawValue): ") }) else {
                return wrapped(body)
            }
            let condition = body.dropFirst(method.rawValue.count + 2)
            return wrapped("match /t/{id} { allow \(method.rawValue): if \(condition); }")
        }
    }

    static func result(_ explanation: Explanation) -> Result {
        if explanation.isAllowed { return .allow }
        return switch explanation.statements.last?.outcome {
        case nil: .none
        case .failed: .error
        case .allowed, .refused: .refused
        }
    }

    static let gets: [Row] = [
        Row(1, "get: 1 == 1.0 && 1 < 1.5", .allow),
        Row(2, "get: [1] == [1.0]", .refused),
        Row(3, "get: 1.0 in resource.data.l", .refused),
        Row(4, "get: 1.0 in resource.data.l.toSet()", .allow),
        Row(5, "get: 'a' == 1", .refused),
        Row(6, "get: 'a' < 1", .error),
        Row(7, "get: -7 / 2 == -3 && -7 % 3 == -1", .allow),
        Row(8, "get: 1 / 0 == 1", .error),
        Row(9, "get: 1.0 / 0 > 0", .allow),
        Row(10, "get: 9223372036854775807 + 1 > 0", .error),
        Row(11, "get: (1 / 0 == 1) || true", .allow),
        Row(12, "get: !((1 / 0 == 1) && false)", .allow),
        Row(13, "get: (1 / 0 == 1) ? true : true", .error),
        Row(14, "get: 1 || true", .allow),
        Row(15, "get: true && 1", .error),
        Row(16, "get: resource.data.zz == null", .error),
        Row(17, "get: resource.data.get('zz', null) == null && resource.data.n == null", .allow),
        Row(18, "get: resource.data.get(['m','k'], '') == 'v'", .allow),
        Row(19, "get: 1 in [1] == true", .error),
        Row(20, "get: resource.data.s.matches('ell')", .refused),
        Row(21, "get: 'a.b'.split('[.]')[1] == 'b' && 'a.b'.replace('[.]', '-') == 'a-b'", .allow),
        Row(22, "get: resource.data.l[1:3] == [2,3] && resource.data.l[0] == 1", .allow),
        Row(23, "get: resource.data.l[3:] == []", .error),
        Row(24, "get: [1,1,2].hasOnly([1,2,3]) && [].hasOnly([]) && [1].hasAll([])", .allow),
        Row(25, "get: {'a':1,'b':2}.diff({'a':1,'b':3,'c':4}).affectedKeys() == ['b','c'].toSet()", .allow),
        Row(26, "get: /t/$('a/b') == /t/a/b", .refused),
        Row(27, "get: 4/2 == 2", .compile),
        Row(28, "get: request.path[3] == 't' && id == 'x' && database == '(default)'", .allow),
        Row(29, "get: request.auth.uid == 'alice'", .error),
        Row(30, "get: request.auth.uid == resource.data.owner", .allow, as: "alice"),
        Row(31, "get: request.auth.token.admin == true", .error, as: "alice"),
        Row(32, "get: request.auth.token.get('admin', false) == true", .refused, as: "alice"),
        Row(33, "get: resource == null", .allow, "t/none"),
        Row(34, "get: resource.data.owner == 'alice'", .error, "t/none"),
        Row(35, "match /t/{id} { allow get: if resource.data.zz; } match /{p=**} { allow get; }", .allow),
        Row(36, "match /t/x/{r=**} { allow get; }", .allow),
        Row(37, "match /{p=**}/t/{id} { allow get: if p == /c/1; }", .allow, "c/1/t/z"),
        Row(38, "match /c/{x} { allow read; }", .none, "c/1/t/z"),
        Row(39, "list: true", .none),
        Row(
            60,
            "function e(i) { return !exists(~/z/$(i)); } match /t/{id} { allow get: if e(0) && e(1) && e(2) && e(3) && "
                + "e(4) && e(5) && e(6) && e(7) && e(8) && e(9) && e(9) && e(0); }",
            .allow
        ),
        Row(
            61,
            "function e(i) { return !exists(~/z/$(i)); } match /t/{id} { allow get: if e(0) && e(1) && e(2) && e(3) && "
                + "e(4) && e(5) && e(6) && e(7) && e(8) && e(9) && e(10); }",
            .error
        ),
        Row(62, "function f() { let z = 1 / 0; return true; } match /t/{id} { allow get: if f(); }", .allow),
        Row(63, "function f(x) { return x > 0 && f(x - 1); } match /t/{id} { allow get: if f(1); }", .compile),
        Row(64, "match /t/{id} { allow get: if nosuch(id); }", .error),
    ]

    @Test(arguments: gets) func `A get is decided as in the table`(row: Row) throws {
        let compilation = Ruleset.compile(row.source)
        guard let rules = compilation.ruleset else {
            #expect(row.result == .compile, "\(compilation.diagnostics)")
            return
        }
        #expect(Self.result(try rules.get(row.name, as: row.auth)) == row.result)
    }

    private static func query(_ filter: Filter? = nil, group: Bool = false, limit: Int32? = nil) -> StructuredQuery {
        StructuredQuery(from: [.init(collectionID: "t", allDescendants: group)], filter: filter, limit: limit)
    }

    private static func listings() throws -> [(Row, StructuredQuery)] {
        let owned = "list: resource.data.owner == 'alice'"
        let alice = try field("owner", .equal, .string("alice"))
        let either = try field("owner", .in, .array([.string("alice"), .string("bob")]))
        let greater = "list: resource.data.a > 2"
        return [
            (Row(40, owned, .error), self.query()),
            (Row(41, owned, .allow), self.query(alice)),
            (Row(42, owned, .refused), self.query(either)),
            (Row(43, greater, .allow), self.query(try field("a", .greaterThan, .integer(3)))),
            (Row(44, greater, .error), self.query(try field("a", .greaterThan, .integer(1)))),
            // Allowed in the table, but a list of 3.0 would be found as well, which the rule refuses: no proof.
            (Row(45, "list: 3 in resource.data.l", .error), self.query(try field("l", .arrayContains, .integer(3)))),
            (Row(45, "list: 'a' in resource.data.l", .allow), self.query(try field("l", .arrayContains, .string("a")))),
            (Row(46, "list: request.query.limit <= 10", .allow), self.query(limit: 10)),
            (Row(47, "list: request.query.limit <= 10", .error), self.query()),
            (Row(48, "list: id == 'x'", .error), self.query()),
            (
                Row(49, "match /t/{id} { allow list; } match /c/{x}/t/{id} { allow list; }", .none),
                self.query(group: true)
            ),
            (Row(50, "match /{p=**}/t/{id} { allow list; }", .allow), self.query(group: true)),
            (Row(51, "get: true", .none), self.query()),
        ]
    }

    @Test func `A query is decided as in the table`() throws {
        for (row, query) in try Self.listings() {
            #expect(Self.result(try ruleset(row.source).list(query)) == row.result, "\(row.testDescription)")
        }
    }

    @Test func `Every row of the table is here`() throws {
        let writes = [52, 53, 54, 55, 56, 57, 58, 59, 65]
        let rows = Self.gets.map(\.number) + (try Self.listings().map(\.0.number)) + writes
        #expect(Set(rows) == Set(1...65))
    }

    @Test func `A write is decided as in the table`() throws {
        var world = World.table
        let time = Value.timestamp(now)
        let changed = "update: request.resource.data.diff(resource.data).affectedKeys().hasOnly(['a'])"
        func check(
            _ row: Row,
            _ method: RuleMethod,
            _ changes: [String: EncodedFields?],
            _ location: SourceLocation = #_sourceLocation
        ) throws {
            world.changes = changes
            let explanation = try ruleset(row.source).write(method, row.name, in: world, .several)
            #expect(Self.result(explanation) == row.result, "\(row.testDescription)", sourceLocation: location)
        }
        var merged = world.before["t/x"]?.decoded ?? []
        merged.append(Value.MapEntry(key: "a", value: .integer(9)))

        try check(
            Row(52, "create: request.resource.data.at == request.time", .allow, "t/n"),
            .create,
            ["t/n": fields(["a": .integer(1), "at": time])]
        )
        try check(Row(53, changed, .allow), .update, ["t/x": EncodedFields(encoding: merged)])
        try check(Row(54, changed, .refused), .update, ["t/x": fields(["a": .integer(9)])])
        try check(Row(55, "create: true", .none), .update, ["t/x": fields(["a": .integer(1)])])
        try check(Row(56, "update: true", .allow, "t/none"), .update, ["t/none": fields(["a": .integer(1)])])
        try check(
            Row(57, "match /t/{id} { allow write: if getAfter(~/o/k).data.at == request.time; }", .allow),
            .update,
            ["t/x": fields(["a": .integer(2)]), "o/k": fields(["v": .integer(2), "at": time])]
        )
        try check(
            Row(58, "match /t/{id} { allow write: if exists(~/o/q); }", .refused),
            .update,
            ["t/x": fields(["a": .integer(2)]), "o/q": fields(["v": .integer(1)])]
        )
        try check(
            Row(59, "match /t/{id} { allow write: if !existsAfter(~/o/k); }", .allow),
            .update,
            ["t/x": fields(["a": .integer(2)]), "o/k": nil]
        )
        try check(Row(65, "delete: resource == null", .allow, "t/none"), .delete, ["t/none": nil])
    }
}
