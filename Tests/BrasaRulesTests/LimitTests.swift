import BrasaDocuments
import BrasaRules
import Testing

struct LimitTests {
    private func errors(_ body: String) -> [String] {
        Ruleset.compile(wrapped(body)).diagnostics.filter { $0.severity == .error }.map(\.message)
    }

    private func conjunction(_ count: Int) -> String {
        Array(repeating: "true", count: count).joined(separator: " && ")
    }

    /// A bound, what a file with so many of something is, and what is said of one more.
    @Test func `A file within a bound loads, and one beyond it is refused`() {
        let depth = "Expression is too complex to evaluate safely."
        func allow(_ condition: String) -> String { "match /t/{id} { allow get: if \(condition); }" }
        func nested(_ count: Int) -> String {
            String(repeating: "match /a {", count: count - 1) + "allow get;" + String(repeating: "}", count: count - 1)
        }
        func chain(_ count: Int) -> String {
            let functions = (2...count).map { "function f\($0)() { return f\($0 - 1)(); }" }.joined()
            return "function f1() { return true; } \(functions) \(allow("f\(count)()"))"
        }
        func lets(_ count: Int) -> String {
            let lets = (0..<count).map { "let a\($0) = 1;" }.joined()
            return "function f() { \(lets) return true; } \(allow("f()"))"
        }
        func parameters(_ count: Int) -> String {
            "function f(\((0..<count).map { "a\($0)" }.joined(separator: ","))) { return true; } \(allow("true"))"
        }
        let chainNames = (1...21).reversed().map { "f\($0)" }.joined(separator: "->")
        let cases: [(body: (Int) -> String, bound: Int, message: String)] = [
            ({ allow(self.conjunction($0)) }, 99, depth),
            (
                { allow(String(repeating: "(", count: $0 - 1) + "true" + String(repeating: ")", count: $0 - 1)) }, 99,
                depth
            ),
            ({ allow(String(repeating: "!", count: $0 - 1) + "true") }, 99, depth),
            ({ allow(String(repeating: "[", count: $0) + String(repeating: "]", count: $0)) }, 99, depth),
            (nested, 10, "Maximum allowed resource rule depth of 10 is reached."),
            (chain, 20, "Maximum allowed call depth of 20 is reached for [\(chainNames)] call stack."),
            (lets, 10, "Maximum allowed variable count of 10 for a given function has been reached."),
            (parameters, 7, "Maximum allowed function arguments of 7 for function f is reached."),
            (
                { "match \((3..<$0).map { _ in "/a" }.joined()) { allow get; }" }, 100,
                "Maximum allowed path length of 100 is reached."
            ),
            (
                { "match \((1..<$0).map { "/{a\($0)}" }.joined()) { allow get; }" }, 20,
                "Maximum allowed amount of 20 match field variables is reached."
            ),
        ]
        for (body, bound, message) in cases {
            #expect(self.errors(body(bound)) == [])
            #expect(self.errors(body(bound + 1)) == [message])
        }
    }

    @Test func `A file is at most 256 KiB`() {
        let source = wrapped("match /a { allow get; }")
        let padding = 256 * 1024 - source.utf8.count
        #expect(Ruleset.compile(source + String(repeating: " ", count: padding)).ruleset != nil)
        #expect(Ruleset.compile(source + String(repeating: " ", count: padding + 1)).ruleset == nil)
    }

    /// The cost of one evaluation, as the reference has it.
    static let costs: [(String, Int)] = [
        ("true", 1), ("1 == 1", 3), ("true && true", 4), ("false && true", 2), ("false || false", 4), ("!(true)", 2),
        ("resource.data.a == 1", 5), ("true ? true : false", 4), ("1 is int", 3), ("[1, 2] == [1, 2]", 7),
        ("{'a': 1} == {'a': 1}", 7), ("/a/b == /a/b", 7), ("/a/$(1) == /a/$(1)", 7), ("resource.data.l[0] == 1", 7),
        ("'a'.size() == 1", 4), ("f(1)", 5), ("g()", 6), ("-1 == -1", 5), ("request.auth == null", 4),
    ]

    @Test(arguments: costs) func `Expressions are counted`(expression: String, cost: Int) throws {
        let rules = try ruleset(
            wrapped(
                "function f(x) { return x == 1; } function g() { let y = 1; return 1 == 1; }"
                    + "match /t/{id} { allow get: if (\(expression)) || true; }"
            )
        )
        // The disjunction itself, and its right side when the left one is not true.
        let isTrue = try rules.get("t/x", limits: EvaluationLimits(expressions: cost + 1)).isAllowed
        let total = isTrue ? cost + 1 : cost + 3
        #expect(try rules.get("t/x", limits: EvaluationLimits(expressions: total)).isAllowed)
        #expect(!(try rules.get("t/x", limits: EvaluationLimits(expressions: total - 1)).isAllowed))
    }

    @Test func `A thousand expressions pass, and no disjunction saves one more`() throws {
        // Ten statements of 99 and 1 of 10 nodes: each conjunction of n literals is n, and 2 (n - 1) for its operators.
        func rules(_ last: Int) throws -> Ruleset {
            let fails = Array(repeating: "allow get: if !(\(self.conjunction(33)));", count: 10).joined(separator: "\n")
            return try ruleset(wrapped("match /t/{id} { \(fails) allow get: if \(self.conjunction(last)); }"))
        }
        // 10 · (1 + 33 + 64) = 980, then 20 literals would be 58; 7 are 19 and stay below.
        #expect(try rules(7).get("t/x").isAllowed)
        let denied = try rules(8).get("t/x")
        #expect(!denied.isAllowed)
        #expect(denied.statements.last?.outcome == .failed(.expressionsExceeded(1_000)))
        #expect(
            EvaluationError.expressionsExceeded(1_000).message
                == "Unable to evaluate the expression as the maximum of 1000 expressions to evaluate has been reached."
        )
    }

    @Test func `Work has a bound of its own`() throws {
        let rules = try ruleset(
            wrapped("match /t/{id} { allow get: if resource.data.s.matches('(a*)*b') || true; }")
        )
        let world = World(before: ["t/x": fields(["s": .string(UTF8Text(String(repeating: "a", count: 100_000)))])])
        #expect(try rules.get("t/x", in: world, limits: EvaluationLimits(work: 100_000_000)).isAllowed)
        let denied = try rules.get("t/x", in: world, limits: EvaluationLimits(work: 50_000))
        #expect(denied.statements.first?.outcome == .failed(.workExceeded))
    }

    @Test func `The deepest evaluation fits on the stack`() throws {
        let functions = (1...20).map { number in
            let inner = number == 20 ? "true" : "f\(number + 1)()"
            return "function f\(number)() { return \(String(repeating: "!", count: 48))\(inner); }"
        }
        let rules = try ruleset(wrapped("\(functions.joined()) match /t/{id} { allow get: if f1(); }"))
        #expect(try rules.get("t/x").isAllowed)
    }

    @Test func `Values that grow by doubling end at the bound of work`() throws {
        let doublings = (1..<10).map { "let x\($0) = x\($0 - 1) + x\($0 - 1);" }.joined()
        let functions = (1...4).map { number in
            "function g\(number)(x0) { \(doublings) return \(number == 4 ? "x9" : "g\(number + 1)(x9)"); }"
        }
        let rules = try ruleset(
            wrapped("\(functions.joined()) match /t/{id} { allow get: if g1('abcdefgh').size() > 0; }")
        )
        #expect(try rules.get("t/x").statements.first?.outcome == .failed(.workExceeded))
    }

    /// What a rule of every day may cost: no timing, but a regression of either is one of time.
    @Test func `A typical rule is few expressions and little work`() throws {
        let rules = try ruleset(
            wrapped(
                """
                function isSignedIn() { return request.auth != null; }
                match /t/{id} {
                  allow get: if isSignedIn() && resource.data.owner == request.auth.uid
                    && get(/databases/$(database)/documents/u/$(request.auth.uid)).data.active == true;
                }
                """
            )
        )
        var world = World.table
        world.before["u/alice"] = fields(["active": .boolean(true)])
        let limits = EvaluationLimits(expressions: 40, work: 8_000)
        #expect(try rules.get("t/x", as: user("alice"), in: world, limits: limits).isAllowed)
    }
}
