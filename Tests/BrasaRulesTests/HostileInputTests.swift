import BrasaDocuments
import BrasaQueryModel
import BrasaRules
import Testing

/// Whatever stands in a file, compiling it ends soon and with an answer.
struct HostileInputTests {
    private let whole = """
        rules_version = '2';
        service cloud.firestore {
          function f(a, b) { let c = a + b; return c.size() > 0 && /a/$(b)/{x=**} != null; }
          match /databases/{database}/documents {
            match /t/{id=**} { allow read, write: if f('x', "y")[0:1] in [1, 2.5, b'z'] ? !true : -1 is int; }
          }
        }
        """

    @Test func `Every beginning of a file is answered`() {
        let bytes = Array(self.whole.utf8)
        for count in 0..<bytes.count {
            let compilation = Ruleset.compile(Array(bytes[..<count]))
            #expect(compilation.ruleset == nil)
            #expect(!compilation.diagnostics.isEmpty)
        }
        #expect(Ruleset.compile(bytes).ruleset != nil)
    }

    @Test func `Every file with one byte changed or missing is answered`() {
        var random = SeededRandom(seed: 17)
        let bytes = Array(self.whole.utf8)
        let marks = Array("{}()[]/'\"\\$*.:;?!=-+,%\u{0}\u{FF}#\n9a".utf8)
        for index in bytes.indices {
            var changed = bytes
            changed[index] = random.pick(marks)
            _ = Ruleset.compile(changed)
            changed.remove(at: index)
            _ = Ruleset.compile(changed)
        }
    }

    @Test func `Noise is answered`() {
        var random = SeededRandom(seed: 18)
        let words = [
            "service", "cloud.firestore", "match", "allow", "get", ":", "if", "{", "}", "(", ")", "[", "]", "/a", "/",
            "/{x=**}", "/$(", "'a'", "'", "1", "1.5", "&&", "||", "==", "in", "is", "int", "!", "-", "?", ";", ",",
            "let",
            "return", "function", "f", "=", ".", "b'", "\n", "//", "/*", "*/", "request", "resource.data.a", "\u{FEFF}",
        ]
        for _ in 0..<500 {
            let text = (0..<random.below(80)).map { _ in random.pick(words) }.joined(separator: random.pick(["", " "]))
            _ = Ruleset.compile(text)
            _ = Ruleset.compile(wrapped("match /a { allow get: if \(text); }"))
            _ = Ruleset.compile((0..<random.below(200)).map { _ in UInt8(random.below(256)) })
        }
    }

    static let units = [
        "(", "[", "{", "!", "-", "f(", "/a", "/$(", "a.", "a?", "a?b:", "a[", "a&&", "'", "match /a {",
        "function f() {",
        "service a {", "/*", "{a=**}", "1 in ", "allow get: if ", "return ", ";", "}", "\u{0}", "let a = ", "\\",
    ]

    @Test(arguments: units) func `A file full of one thing is answered`(unit: String) {
        let count = 128 * 1024 / unit.utf8.count
        let text = String(repeating: unit, count: count)
        for source in [text, "service cloud.firestore { match /a { allow get: if \(text)", wrapped(text)] {
            let compilation = Ruleset.compile(source)
            #expect(compilation.ruleset == nil)
            #expect(compilation.diagnostics.count <= 200)
        }
    }

    @Test func `Literal patterns cannot grow a file without bound`() {
        let conditions = (0..<2_000).map { "allow get: if '\($0)'.matches('(a{1000}){9}');" }.joined(separator: "\n")
        let compilation = Ruleset.compile(wrapped("match /a { \(conditions) }"))
        #expect(compilation.ruleset == nil)
        #expect(compilation.diagnostics.first?.message == "Invalid regular expression pattern. Pattern: (a{1000}){9}.")
    }

    @Test func `Many functions and blocks are no burden`() throws {
        let functions = (0..<2_000).map { "function f\($0)() { return true; }" }.joined(separator: "\n")
        let blocks = (0..<2_000).map { "match /c\($0)/{id} { allow get: if f\($0)(); }" }.joined(separator: "\n")
        let rules = try ruleset(wrapped(functions + blocks))
        #expect(try rules.get("c1999/x", in: World(before: [:])).isAllowed)
        #expect(!(try rules.get("d/x", in: World(before: [:])).isAllowed))
    }
}
