import BrasaDocuments
import BrasaRules
import Testing

/// Which blocks cover a path, and what they capture.
struct MatchTests {
    struct Case: CustomTestStringConvertible {
        var pattern: String
        var version = 2
        var covers: [String] = []
        var passes: [String] = []

        var testDescription: String { "\(self.pattern), version \(self.version)" }
    }

    static let cases = [
        Case(pattern: "/t/x", covers: ["t/x"], passes: ["t/y", "t/x/u/v", "T/x"]),
        Case(pattern: "/t/{a}", covers: ["t/x", "t/y"], passes: ["u/x", "t/x/u/v"]),
        Case(pattern: "/{a}/{b}", covers: ["t/x"], passes: ["t/x/u/v"]),
        Case(pattern: "/t/x/{r=**}", covers: ["t/x", "t/x/u/v"], passes: ["t/y"]),
        Case(pattern: "/t/x/{r=**}", version: 1, covers: ["t/x/u/v"], passes: ["t/x"]),
        Case(pattern: "/{r=**}", version: 1, covers: ["t/x", "t/x/u/v"]),
        Case(pattern: "/{r=**}/t/{a}", covers: ["t/x", "c/1/t/z"], passes: ["c/1/u/z", "t/x/u/v"]),
        Case(pattern: "/c/{r=**}/t/{a}", covers: ["c/1/t/z"], passes: ["t/x", "c/t"]),
        Case(pattern: "/t/a%20b", covers: ["t/a b"], passes: ["t/a%20b"]),
        Case(pattern: "/t/a+b", covers: ["t/a+b"], passes: ["t/a b"]),
    ]

    @Test(arguments: cases) func `A pattern covers whole paths only`(example: Case) throws {
        let rules = try ruleset(wrapped("match \(example.pattern) { allow get; }", version: example.version))
        for name in example.covers { #expect(try rules.get(name).isAllowed, "\(name)") }
        for name in example.passes { #expect(!(try rules.get(name).isAllowed), "\(name)") }
    }

    @Test func `Inner blocks join the patterns around them, and inherit no statement`() throws {
        let rules = try ruleset(
            wrapped("match /c/{x} { allow get; match /t/{y} { allow create; match /{z=**} { allow delete; } } }")
        )
        let world = World(before: [:])
        #expect(try rules.get("c/1").isAllowed)
        #expect(!(try rules.get("c/1/t/z").isAllowed))
        #expect(try rules.write(.create, "c/1/t/z", in: world).isAllowed)
        #expect(!(try rules.write(.create, "c/1", in: world).isAllowed))
        #expect(try rules.write(.delete, "c/1/t/z", in: world).isAllowed)
        #expect(try rules.write(.delete, "c/1/t/z/u/v", in: world).isAllowed)
        #expect(!(try rules.write(.delete, "c/1", in: world).isAllowed))
    }

    @Test func `Blocks below a glob are never reached in version 1`() throws {
        let body = "match /{r=**} { match /t/{a} { allow get; } }"
        #expect(!(try ruleset(wrapped(body, version: 1)).get("c/1/t/z").isAllowed))
        #expect(try ruleset(wrapped(body)).get("c/1/t/z").isAllowed)
    }

    /// A condition on the captures of a pattern, for a path.
    static let captures: [(pattern: String, name: String, condition: String)] = [
        ("/{a}/{b}", "t/x", "a == 't' && b == 'x' && a is string"),
        ("/{p=**}/t/{id}", "t/x", "p is path && string(p) == '/' && id == 'x'"),
        ("/{p=**}/t/{id}", "c/1/t/z", "p == /c/1 && p[0] == 'c' && id == 'z'"),
        ("/c/{r=**}", "c/1/t/z", "r == /1/t/z && string(r) == '/1/t/z'"),
        ("/c/{x}/{r=**}", "c/1", "x == '1' && string(r) == '/'"),
        ("/c/{x} { match /t/{x}", "c/1/t/z", "x == 'z'"),
        ("/{request}/{b}", "t/x", "request == 't'"),
        ("/t/{b}", "t/é b", "b == 'é b'"),
    ]

    @Test(arguments: captures)
    func `Captures are strings, globs are paths`(pattern: String, name: String, condition: String) throws {
        let close = String(
            repeating: "}",
            count: 1 + pattern.filter { $0 == "{" }.count - pattern.filter { $0 == "}" }.count
        )
        let rules = try ruleset(wrapped("match \(pattern) { allow get: if \(condition); \(close)"))
        let explanation = try rules.get(name)
        #expect(explanation.isAllowed, "\(explanation.denialMessage)")
    }

    @Test func `A function sees the captures around its declaration, not those around its call`() throws {
        let body = """
            match /c/{x} {
              function own() { return x == '1'; }
              match /t/{y} {
                function shadowed() { return x == '1'; }
                allow get: if own() && shadowed();
                allow delete: if foreign();
              }
            }
            function foreign() { return y == 'z'; }
            """
        let rules = try ruleset(wrapped(body))
        #expect(try rules.get("c/1/t/z").isAllowed)
        #expect(try rules.write(.delete, "c/1/t/z", in: .table).statements[0].outcome == .failed(.nullValue))
    }

    @Test func `A call in an outer function means the function that stands there`() throws {
        let body = """
            function inner() { return true; }
            function outer() { return inner(); }
            match /t/{id} {
              function inner() { return false; }
              allow get: if outer() && !inner();
            }
            """
        #expect(try ruleset(wrapped(body)).get("t/x").isAllowed)
    }

    @Test func `Functions may be called what the language calls its own`() throws {
        let body = "function exists(a) { return a; } match /t/{id} { allow get: if exists(true); }"
        #expect(try ruleset(wrapped(body)).get("t/x").isAllowed)
    }

    @Test func `A listing knows its parents, but not its documents`() throws {
        let rules = try ruleset(
            wrapped(
                """
                match /c/{x}/t/{id} { allow list: if x == '1' && request.path[3] == 'c' && request.path[5] == 't'; }
                match /u/{id=**} { allow list: if string(id) == '/'; }
                match /v/a { allow list; }
                match /x/{id} { allow list: if request.path == /databases/$(database)/documents/x; }
                match /w/{a} { allow list: if resource == null; }
                """
            )
        )
        #expect(try rules.list(.collection(try path("c/1/t"))).isAllowed)
        #expect(!(try rules.list(.collection(try path("c/2/t"))).isAllowed))
        #expect(try rules.list(.collection(try path("u"))).statements[0].outcome == .failed(.undetermined))
        #expect(try rules.list(.collection(try path("v"))).statements.isEmpty)
        // No document in it has the collection's path.
        #expect(try rules.list(.collection(try path("x"))).statements[0].outcome == .failed(.undetermined))
        // A document that is found is there.
        #expect(try rules.list(.collection(try path("w"))).statements[0].outcome == .refused)
    }

    @Test func `A collection group needs a pattern for any depth`() throws {
        func isAllowed(_ pattern: String, parent: String = "", version: Int = 2) throws -> Bool {
            let rules = try ruleset(wrapped("match \(pattern) { allow list; }", version: version))
            let parent = parent.isEmpty ? ResourcePath.root : try path(parent)
            return try rules.list(.collectionGroup(parent: parent, id: "t")).isAllowed
        }
        #expect(try isAllowed("/{p=**}"))
        #expect(try isAllowed("/{p=**}/t/{id}"))
        #expect(try isAllowed("/{p=**}/{id}"))
        #expect(!(try isAllowed("/{p=**}/u/{id}")))
        #expect(!(try isAllowed("/{p=**}/t/x")))
        #expect(!(try isAllowed("/{p=**}/c/{x}/t/{id}")))
        #expect(!(try isAllowed("/c/{x}/{p=**}")))
        #expect(try isAllowed("/c/{x}/{p=**}/t/{id}", parent: "c/1"))
        #expect(!(try isAllowed("/c/{x}/t/{id}", parent: "c/1")))
        #expect(!(try isAllowed("/{p=**}", version: 1)))
    }

    @Test func `Statements are tried in the order of the file, until one is true`() throws {
        let rules = try ruleset(
            wrapped(
                "match /{p=**} { allow get: if 1 / 0 == 1; } match /t/{id} { allow get: if false; allow read; allow get; }"
            )
        )
        let explanation = try rules.get("t/x")
        #expect(explanation.statements.map(\.outcome) == [.failed(.divideByZero), .refused, .allowed])
    }
}
