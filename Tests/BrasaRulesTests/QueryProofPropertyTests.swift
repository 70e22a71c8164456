import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import BrasaRules
import Testing

/// Random rules, documents and queries: whatever a query that was allowed returns, a get of each returned document is
/// allowed under the same rules.
struct QueryProofPropertyTests {
    /// Conditions over the fields that the queries filter, most of them such as queries can prove.
    private struct Conditions {
        var random: SeededRandom

        mutating func next(_ depth: Int) -> String {
            if depth > 0, !self.random.chance(3) {
                let (one, other) = (self.next(depth - 1), self.next(depth - 1))
                return switch self.random.below(7) {
                case 0, 1: "(\(one) && \(other))"
                case 2, 3: "(\(one) || \(other))"
                case 4: "!(\(one))"
                case 5: "(\(one) ? \(other) : \(self.next(depth - 1)))"
                default: "same(\(one), \(other))"
                }
            }
            let data = "resource.data"
            let field = "\(data).\(self.random.pick(["a", "b", "c", "t", "m.x"]))"
            let constant = self.constant()
            switch self.random.below(15) {
            case 0...3: return "\(field) \(self.random.pick(["==", "!=", "<", "<=", ">", ">="])) \(constant)"
            case 4: return "\(constant) \(self.random.pick(["==", "!=", "<", ">"])) \(field)"
            case 5: return "\(field) in [\(constant), \(self.constant())]"
            case 6: return "\(constant) in \(field)"
            case 7:
                return
                    "\(field).\(self.random.pick(["hasAny", "hasAll", "hasOnly"]))([\(constant), \(self.constant())])"
            case 8:
                return "\(field) is \(self.random.pick(["int", "float", "number", "string", "list", "map", "bool"]))"
            case 9: return "\(data).get('\(self.random.pick(["a", "b", "m"]))', \(constant)) == \(constant)"
            case 10:
                return
                    "'\(self.random.pick(["a", "b", "m", "none"]))' in \(self.random.pick([data, "\(data).m", "resource"]))"
            case 11: return "\(field).size() == \(self.random.below(3))"
            case 12:
                return self.random.pick([
                    "\(data).keys().hasAny(['a'])", "\(data).size() > 0", "\(data) == {}", "resource != null",
                    "\(data).m == {'a': \(constant)}", "\(data).diff({'a': \(constant)}).affectedKeys().size() > 0",
                    "[\(field)].hasAny([\(constant)])", "\(data).m is map", "id != 'x'", "p[0] == 'c'",
                    "string(p) == '/'",
                    "exists(/databases/$(database)/documents/c/$(\(field)))", "debug(\(field)) == \(constant)",
                ])
            case 13: return self.place()
            default:
                return
                    "\(field) \(self.random.pick(["+", "-", "/"])) \(self.constant()) \(self.random.pick(["==", "<"])) \(constant)"
            }
        }

        /// Where a document is, as the request says it.
        private mutating func place() -> String {
            let collection = "/databases/$(database)/documents/\(self.random.pick(["c", "d"]))"
            let id = self.random.pick(["1", "a", "b", "c", "x", "y", "z"])
            let index = self.random.below(7)
            let request = self.random.pick(["request.path", "request['path']", "request.get('path', /none)"])
            return self.random.pick([
                "\(request) != \(collection)/\(id)", "\(request) == \(collection)", "\(request) != \(collection)",
                "!string(\(request)).matches('.*/\(id)')", "!(\(request) in [\(collection)/\(id)])",
                "\(request)[\(index)] != '\(id)'", "\(request)[\(index)] == '\(self.random.pick(["documents", "c"]))'",
                "[\(request)] != [\(collection)/\(id)]", "!('path' in request)", "request.get('path', null) == null",
                "\(request) is path", "!exists(\(request))",
            ])
        }

        private mutating func constant() -> String {
            self.random.pick([
                "0", "1", "2", "-1", "1.0", "2.0", "1.5", "'a'", "'b'", "''", "null", "true", "false", "[1]", "['a']",
                "{}",
                "{'a': 1}", "float('NaN')", "9007199254740993", "'\u{FFFD}'", "'\u{1F600}'", "b'a'", "request.time",
                "-9223372036854775808", "0.0", "-0.0",
            ])
        }
    }

    private static let database = try? DatabaseName(project: "p", database: "(default)")

    @Test(arguments: 1...6) func `Whatever an allowed query returns may be got`(seed: UInt64) throws {
        let database = try #require(Self.database)
        var cases = QueryCaseGenerator(seed: seed, database: database)
        var conditions = Conditions(random: SeededRandom(seed: seed &+ 1_000))
        var (allowed, returned) = (0, 0)
        for turn in 0..<1_500 {
            let next = turn % 2 == 0 ? cases.nextLikely() : cases.next(documentsMax: 12)
            guard next.query.findNearest == nil, let query = next.checked else { continue }
            // Half of the conditions ask for what the query asks: few others are ever proven.
            var condition = conditions.next(conditions.random.below(3))
            if turn % 4 < 3, let asked = Self.condition(of: next.query.filter, &conditions.random) {
                condition = turn % 4 == 0 ? asked : "(\(asked)) \(conditions.random.pick(["&&", "||"])) (\(condition))"
            }
            let source = wrapped(
                """
                function same(a, b) { let c = a; return c == b; }
                match /{p=**}/{id} { allow read: if \(condition); }
                """
            )
            guard let rules = Ruleset.compile(source).ruleset else { continue }
            let world = World(
                before: Dictionary(next.documents.map { ($0.path.string, $0.fields) }, uniquingKeysWith: { $1 })
            )
            let list = RuleRequest(
                .list,
                RuleTarget(query.names),
                database: "(default)",
                time: now,
                auth: user("alice"),
                query: RuleQuery(next.query, query)
            )
            guard try rules.judge(list, world, .single).isAllowed else { continue }
            allowed += 1
            for document in next.model.results(among: next.documents) {
                returned += 1
                let get = try rules.get(document.path.string, as: user("alice"), in: world)
                #expect(get.isAllowed, "\(condition)\n\(next.query.text(parent: next.parent))\n\(document)")
            }
        }
        #expect(allowed > 50 && returned > 100, "\(allowed) queries allowed, \(returned) documents returned")
    }

    /// The filter as a rule would ask for it, if there is a way to write its values.
    private static func condition(of filter: Filter?, _ random: inout SeededRandom) -> String? {
        switch filter {
        case .composite(let op, let filters):
            let parts = filters.compactMap { self.condition(of: $0, &random) }
            guard parts.count == filters.count, !parts.isEmpty else { return parts.first }
            return "(\(parts.joined(separator: op == .or ? " || " : " && ")))"
        case .field(let path?, let op, let value?):
            let field = "resource.data.\(path.segments.map(\.string).joined(separator: "."))"
            let values = self.literals(value)
            switch op {
            case .equal: return values.first.map { "\(field) \(random.pick(["==", "==", "!=", "<="])) \($0)" }
            case .lessThan, .lessThanOrEqual:
                return values.first.map { "\(field) \(random.pick(["<", "<=", "!="])) \($0)" }
            case .greaterThan, .greaterThanOrEqual:
                return values.first.map { "\(field) \(random.pick([">", ">=", "!="])) \($0)" }
            case .notEqual, .notIn: return values.first.map { "\(field) != \($0)" }
            case .in: return "\(field) in [\(values.joined(separator: ", "))]"
            case .arrayContains: return values.first.map { "\($0) in \(field)" }
            case .arrayContainsAny: return "\(field).hasAny([\(values.joined(separator: ", "))])"
            default: return nil
            }
        case .unary(let path?, .isNotNull):
            return "resource.data.\(path.segments.map(\.string).joined(separator: ".")) != null"
        case .unary(let path?, .isNull):
            return "resource.data.\(path.segments.map(\.string).joined(separator: ".")) == null"
        default: return nil
        }
    }

    private static func literals(_ value: Value) -> [String] {
        switch value {
        case .null: ["null"]
        case .boolean(let bool): ["\(bool)"]
        case .integer(let int): ["\(int)"]
        case .double(let double):
            [
                "float('\(double.isNaN ? "NaN" : double.isInfinite ? (double < 0 ? "-Infinity" : "Infinity") : "\(double)")')"
            ]
        case .string(let text):
            ["'\(text.string.replacing("\\", with: "\\\\").replacing("'", with: "\\'").replacing("\n", with: "\\n"))'"]
        case .array(let elements): elements.flatMap(self.literals)
        case .map(let entries):
            [
                "{\(entries.flatMap { entry in self.literals(entry.value).map { "'\(entry.key)': \($0)" } }.joined(separator: ", "))}"
            ]
        default: []
        }
    }
}
