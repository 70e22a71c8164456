import BrasaDocuments
import BrasaQueries
import BrasaRules
import Testing

/// The reference's list of what is most likely to be wrong, point by point, as what calls are decided. Point 11, about
/// tokens, and the listeners of 19 are the server's.
struct ChecklistTests {
    enum Call {
        case get([String])
        case query(Filter?, limit: Int32? = nil, group: Bool = false)
        /// Nil: deleted.
        case commit([String: EncodedFields?], exists: Bool? = nil)
        case demand(RuleDemand)

        static let getX = Call.get(["t/x"])
        static func set(_ entries: [String: Value]) -> Call { .commit(["t/x": fields(entries)]) }
    }

    struct Row: CustomTestStringConvertible {
        var point: Int
        /// Between `~` and `/` stands the database's path; a body without `match` is the condition of all methods on `t`.
        var rules: String
        var call: Call
        var isAllowed: Bool
        var uid: String?

        init(_ point: Int, _ rules: String, _ call: Call, _ isAllowed: Bool, as uid: String? = nil) {
            self.point = point
            self.rules = rules
            self.call = call
            self.isAllowed = isAllowed
            self.uid = uid
        }

        var source: String {
            let rules = self.rules.replacing("~/", with: "/databases/$(database)/documents/")
            return wrapped(rules.contains("match ") ? rules : "match /t/{id} { allow read, write: if \(rules); }")
        }

        var testDescription: String { "\(self.point): \(self.rules), \(self.call)" }
    }

    private static func isAllowed(_ row: Row) throws -> Bool {
        var world = World.table
        let demand: RuleDemand
        switch row.call {
        case .get(let names): demand = .documents(try names.map { try path($0) })
        case .query(let filter, let limit, let group):
            let asked = StructuredQuery(
                from: [.init(collectionID: "t", allDescendants: group)],
                filter: filter,
                limit: limit
            )
            let project = try DatabaseName(project: "p", database: database)
            let parent = try #require(ParentName(database: project, path: .root))
            demand = .query(asked, try Query(asked, parent: parent))
        case .commit(let changes, let exists):
            world.changes = changes
            let precondition: RuleWrite.Precondition = exists.map { $0 ? .exists : .isMissing } ?? .none
            demand = .commit(
                try changes.sorted { $0.key < $1.key }.map { name, change in
                    RuleWrite(change == nil ? .delete : .set, try path(name), precondition)
                }
            )
        case .demand(let given): demand = given
        }
        let caller = RuleCaller(database: database, auth: row.uid.map { user($0) }, time: now)
        var review = RuleReview(demand, by: caller, under: try ruleset(row.source), world)
        return review.finish()
    }

    @Test(arguments: evaluation + values + compiling) func `The list's points`(row: Row) throws {
        #expect(try Self.isAllowed(row) == row.isAllowed)
    }

    @Test func `The list's points about queries, commits and administrators`() throws {
        for row in try Self.queries() + Self.commits() {
            #expect(try Self.isAllowed(row) == row.isAllowed, "\(row.testDescription)")
        }
    }

    @Test func `Every point of the list is here`() throws {
        let rows = Self.evaluation + Self.values + Self.compiling + (try Self.queries()) + (try Self.commits())
        for point in Set(1...20).subtracting([11]) {
            let decisions = Set(rows.filter { $0.point == point }.map(\.isAllowed))
            #expect(decisions == [true, false], "\(point)")
        }
    }

    static let evaluation = [
        Row(1, "resource.data.zz || true", .getX, true), Row(1, "true || resource.data.zz", .getX, true),
        Row(1, "!(resource.data.zz && false)", .getX, true), Row(1, "resource.data.zz && true", .getX, false),
        Row(1, "resource.data.zz || false", .getX, false), Row(1, "!resource.data.zz", .getX, false),
        Row(2, "match /t/{id} { allow get: if 1 / 0 == 1; allow get: if id == 'x'; }", .getX, true),
        Row(2, "match /t/{id} { allow get; } match /{p=**} { allow get: if false; }", .getX, true),
        Row(2, "match /t/{id} { allow get: if 1 / 0 == 1; allow list; allow get: if 1; }", .getX, false),
        Row(3, "resource.data.zz == null", .getX, false), Row(3, "resource == null", .get(["t/none"]), true),
        Row(3, "request.resource == null", .getX, false), Row(3, "!('resource' in request)", .getX, true),
        Row(3, "resource.data.a == 1", .get(["t/none"]), false), Row(3, "resource.data.n == null", .getX, true),
        Row(10, "match /t/x/{p=**} { allow get: if p is path && string(p) == '/'; }", .getX, true),
        Row(10, "match /{p=**} { allow get: if p == '/t/x'; }", .getX, false),
        Row(10, "match /{p=**} { allow get: if p == /t/x; }", .getX, true),
        Row(16, "nosuch(1) || nosuch || 1.nosuch() || true".replacing("1.nosuch", with: "'a'.nosuch"), .getX, true),
        Row(16, "nosuch(1)", .getX, false), Row(16, "nosuch == null", .getX, false),
        Row(16, "function f(a) { return a; } match /t/{id} { allow get: if f(true, true); }", .getX, false),
        Row(
            17,
            "function f() { return id == 'x'; } match /t/{id} { allow get: if f(); }",
            .getX,
            false
        ),
        Row(17, "match /t/{id} { function f() { return id == 'x'; } allow get: if f(); }", .getX, true),
        Row(17, "function f() { let a = 1 / 0; return true; } match /t/{id} { allow get: if f(); }", .getX, true),
        Row(17, "function f(a) { return a; } match /t/{id} { allow get: if f(1 / 0 == 1) || true; }", .getX, true),
    ]

    static let values = [
        Row(12, "1 == 1.0 && !([1] == [1.0]) && !({'a': 1} == {'a': 1.0})", .getX, true),
        Row(12, "float('NaN') == float('NaN')", .getX, false), Row(12, "float('NaN') != float('NaN')", .getX, true),
        Row(12, "('a' < 1) || !('a' == 1)", .getX, true), Row(12, "'a' < 1 || 1 < 'a'", .getX, false),
        Row(12, "null < 1 || true < false", .getX, false),
        Row(13, "6 / 2 == 3 && (6)/ 2 == 3", .getX, true), Row(13, "/t/$('a/b') == /t/a/b", .getX, false),
        Row(13, "/t/$(/a/b) == /t/a/b && /$(id)/x == /{id}/x", .getX, true),
        Row(13, "(/t/{x}).bind({'x': 'q'}) == /t/q", .getX, true),
        Row(14, "resource.data.s.matches('ell')", .getX, false),
        Row(14, "resource.data.s.matches('.*ell.*')", .getX, true),
        Row(14, "'a.b'.replace('.', '-') == '---'", .getX, true),
        Row(14, "'a,b,,'.split(',') == ['a', 'b'] && ',,'.split(',') == ['']", .getX, true),
        Row(14, "'a|b'.split('|').size() == 2", .getX, false),
        Row(15, "'😀'.size() == 2 && 'É'.lower() == 'É' && 'AB'.lower() == 'ab'", .getX, true),
        Row(15, "'\u{FFFD}' > '😀'", .getX, true), Row(15, "'é'.upper() == 'É'", .getX, false),
        Row(15, "b'\\xff'.toHexString() == 'FF' && b'\\xff\\xff'.toBase64() == '__8='", .getX, true),
    ]

    private static func tree(_ depth: Int) -> String {
        String(repeating: "!", count: depth) + "false"
    }

    static let compiling = [
        Row(20, Array(repeating: "true", count: 80).joined(separator: " && "), .getX, true),
        // 999 expressions and one for `||` that no true on its right saves.
        Row(
            20,
            "function f() { return [\(Array(repeating: "1", count: 998).joined(separator: ","))].size() > 0; }"
                + " match /t/{id} { allow get: if f() || true; allow get; }",
            .getX,
            false
        ),
        Row(18, "match /t/{id} { allow get: if request.path[3] == 't'; }", .getX, true),
    ]

    static func queries() throws -> [Row] {
        let alice = try field("owner", .equal, .string("alice"))
        let either = try field("owner", .in, .array([.string("alice"), .string("bob")]))
        let mine = "resource.data.owner == request.auth.uid"
        let concrete = "match /t/{id} { allow read; } match /c/{x}/t/{id} { allow read; }"
        return [
            Row(4, mine, .query(alice), true, as: "alice"), Row(4, mine, .query(nil), false, as: "alice"),
            Row(4, mine, .query(either), false, as: "alice"),
            // Of the two documents one is hers: no filtering; and where all are hers, none that was proven.
            Row(4, "resource.data.a > 0", .query(nil), false),
            Row(4, "\(mine) || resource.data.owner == 'bob'", .query(either), true, as: "alice"),
            Row(5, "!('zz' in resource.data)", .query(alice), false),
            Row(5, "resource.data.size() == 1", .query(alice), false),
            Row(5, "resource.data.keys().hasOnly(['owner'])", .query(alice), false),
            Row(5, "resource.data == {'owner': 'alice'}", .query(alice), false),
            Row(5, "resource.data.get('zz', 1) == 1", .query(alice), false),
            Row(5, "id != 'zz'", .query(alice), false), Row(5, "'owner' in resource.data", .query(alice), true),
            Row(18, "match /{p=**}/t/{id} { allow list; }", .query(nil, group: true), true),
            Row(18, concrete, .query(nil, group: true), false), Row(18, concrete, .query(nil), true),
            Row(19, "match /{p=**} { allow read, write; }", .demand(.batchWrite), false),
            Row(19, "match /{p=**} { allow read, write; }", .demand(.metadata), false),
            Row(19, "match /{p=**} { allow read, write; }", .demand(.partitions), false),
            Row(
                19,
                "match /{p=**} { allow read, write; }",
                .demand(.list(try path("t"), pageSize: 3, showsMissing: true)),
                false
            ),
            Row(19, "match /{p=**} { allow read; }", .demand(.list(try path("t"), pageSize: 3)), true),
        ]
    }

    static func commits() throws -> [Row] {
        let whole = fields(["a": .integer(2), "s": .string("hello")])
        let calls = (0..<7).map { "!exists(~/z/$(id + '\($0)'))" }.joined(separator: " && ")
        let three: [String: EncodedFields?] = ["t/1": whole, "t/2": whole, "t/3": whole]
        return [
            Row(
                6,
                "request.resource.data.keys().hasOnly(['a', 's']) && request.resource.data.a == 2",
                .commit(["t/x": whole]),
                true
            ),
            Row(6, "request.resource.data.at == request.time", .set(["at": .timestamp(now)]), true),
            Row(6, "request.resource.data.at == request.time", .set(["at": .timestamp(.latest)]), false),
            Row(7, "getAfter(~/t/n).data.a == 2 && !exists(~/t/n)", .commit(["t/n": whole, "t/x": whole]), true),
            Row(7, "exists(~/t/n)", .commit(["t/n": whole, "t/x": whole]), false),
            Row(7, "existsAfter(~/o/k) || !exists(~/o/k)", .commit(["t/x": whole]), true),
            Row(8, "match /t/{id} { allow create; }", .commit(["t/n": whole]), true),
            Row(8, "match /t/{id} { allow create; }", .commit(["t/x": whole]), false),
            Row(8, "match /t/{id} { allow update; }", .commit(["t/n": whole], exists: true), true),
            Row(8, "match /t/{id} { allow update; }", .commit(["t/x": whole], exists: false), false),
            Row(8, "match /t/{id} { allow delete; }", .commit(["t/n": nil]), true),
            Row(9, calls, .commit(["t/1": whole, "t/2": whole]), true), Row(9, calls, .commit(three), false),
            Row(9, "(\(calls)) || true", .commit(three), true),
            Row(9, calls + " && exists(~/t/x) && get(~/t/x).data.a == 1", .get(["t/x"]), true),
            Row(
                9,
                calls + " && !exists(~/z/1) && !exists(~/z/2) && !exists(~/z/3) && get(~/z/3) == null",
                .get(["t/x"]),
                false
            ),
        ]
    }

    /// Point 20's other half: what does not load.
    @Test func `Files beyond the language's bounds do not load`() {
        let deep = Array(repeating: "true", count: 101).joined(separator: " && ")
        let eight = (0..<8).map { "a\($0)" }.joined(separator: ", ")
        let lets = (0..<11).map { "let a\($0) = 1; " }.joined()
        let chain =
            (1..<22).map { "function f\($0)() { return f\($0 + 1)(); } " }.joined() + "function f22() { return 1; }"
        let bodies = [
            "match /t/{id} { allow get: if \(deep); }", "function f(\(eight)) { return 1; }",
            "function f() { \(lets)return 1; }", "\(chain) match /t/{id} { allow get: if f1() == 1; }",
            "function f() { return g(); } function g() { return f(); }",
        ]
        for body in bodies {
            let allowed = wrapped("\(body) match /u/{id} { allow get; }")
            #expect(Ruleset.compile(allowed).ruleset == nil, "\(body.prefix(80))")
        }
    }
}
