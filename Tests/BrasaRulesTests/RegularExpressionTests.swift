import BrasaDocuments
import BrasaRules
import Testing

/// Patterns as rules use them: the syntax of RE2, over the whole string.
struct RegularExpressionTests {
    private static func literal(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'").replacing("\n", with: "\\n") + "'"
    }

    static let cases: [(pattern: String, matching: [String], others: [String])] = [
        ("", [""], ["a"]),
        ("a|b|", ["a", "b", ""], ["ab"]),
        ("(?:ab)+c?", ["ab", "ababc"], ["", "abcab"]),
        ("a{2,3}", ["aa", "aaa"], ["a", "aaaa"]),
        ("a{2}b{1,}", ["aab", "aabbb"], ["aa", "ab"]),
        ("a{,2}", ["a{,2}"], ["aa"]),
        ("x*?y??", ["", "xxy"], ["yx"]),
        ("[a-c_-]+", ["abc_-"], ["d"]),
        ("[^a-c]", ["d", "é", "\n"], ["a", ""]),
        ("[]a]+", ["]a"], ["b"]),
        ("[\\d\\-.]+", ["1-2.3"], ["a"]),
        ("[[:alpha:]]+", ["abZ"], ["a1"]),
        ("[[:^digit:]]", ["a"], ["1"]),
        ("\\w+@\\w+\\.com", ["ann@x.com"], ["ann@xcom", "a b@x.com"]),
        ("\\D\\W\\S", ["a-b"], ["1-b"]),
        (".", ["a", "😀", "é"], ["", "\n", "ab"]),
        ("(?s).", ["\n"], ["ab"]),
        ("(?i)straße", ["STRAßE", "Straße"], ["strase"]),
        ("(?i:a)b", ["Ab", "ab"], ["aB"]),
        ("a(?i)b|c", ["aB", "C"], ["AB"]),
        ("^a$", ["a"], ["ba"]),
        ("(?m)a$\\n^b", ["a\nb"], ["ab"]),
        ("\\bfoo\\b", ["foo"], ["foob"]),
        ("a\\Bb", ["ab"], ["a b"]),
        ("\\Qa.b\\E+", ["a.b", "a.bb"], ["axb"]),
        ("\\x41\\x{1F600}\\101", ["A😀A"], ["AA"]),
        ("\\pL\\p{Lu}\\P{L}\\p{^Nd}", ["éÉ1x"], ["1É1x", "éé1x"]),
        ("\\.\\*\\\\", [".*\\"], ["ab\\"]),
        ("(a)(b)?", ["a", "ab"], ["b"]),
        ("(?P<year>\\d{4})-(?<month>\\d\\d)", ["2024-01"], ["24-01"]),
        ("(|a)*", ["", "aaa"], ["b"]),
        ("(a*)*", ["", "aaa"], ["b"]),
        ("\\t\\n", ["\t\n"], ["tn"]),
    ]

    @Test(arguments: cases) func `What matches`(pattern: String, matching: [String], others: [String]) throws {
        for (texts, expected) in [(matching, "true"), (others, "false")] {
            for text in texts {
                let expression = "\(Self.literal(text)).matches(\(Self.literal(pattern)))"
                #expect(try outcome(of: expression) == expected, "\(expression)")
                let dynamic = "\(Self.literal(text)).matches('' + \(Self.literal(pattern)))"
                #expect(try outcome(of: dynamic) == expected, "\(dynamic)")
            }
        }
    }

    static let invalid = [
        "[", "[a", "(", ")", "a)", "(?", "(?x)", "*a", "a**", "a{2}{3}", "a{3,2}", "a{1001}", "\\1", "(?=a)", "(?<!a)",
        "\\", "\\y", "[b-a]", "\\p{Nope}", "[[:nope:]]", "(?P<a>x)(?P<a>y)", "\\x{110000}", "(((a{100}){100}){100})",
        String(repeating: "(", count: 200) + String(repeating: ")", count: 200),
    ]

    @Test(arguments: invalid) func `What is no pattern`(pattern: String) {
        let condition = "'a'.matches(\(Self.literal(pattern)))"
        let compilation = Ruleset.compile(wrapped("match /t/{id} { allow get: if \(condition); }"))
        #expect(compilation.diagnostics.first?.message == "Invalid regular expression pattern. Pattern: \(pattern).")
    }

    /// Patterns that take backtracking machines exponential time.
    @Test(arguments: ["(a*)*b", "(a|a)*b", "(a?){20}a{20}b", "([a-z]+)*1"])
    func `Work grows with the text, not faster`(pattern: String) throws {
        let rules = try ruleset(wrapped("match /t/{id} { allow get: if !resource.data.s.matches('\(pattern)'); }"))
        func fits(_ length: Int, _ work: Int) throws -> Bool {
            let world = World(before: ["t/x": fields(["s": .string(UTF8Text(String(repeating: "a", count: length)))])])
            return try rules.get("t/x", in: world, limits: EvaluationLimits(work: work)).isAllowed
        }
        #expect(try fits(500, 500 * 4_000))
        #expect(try fits(1_000, 1_000 * 4_000))
    }
}
