import BrasaOptions
import Testing

@Suite struct YAMLMappingTests {
    private func values(_ text: String) throws -> [String] { try YAMLMapping.parse(text).map(\.value) }

    private func flaw(_ text: String) -> YAMLMapping.Flaw? {
        do {
            _ = try YAMLMapping.parse(text)
            return nil
        } catch {
            return error
        }
    }

    @Test func `Names and values are read, with their lines`() throws {
        let text =
            "# a comment\n---\n\nlisten: 0.0.0.0:8080\r\n  # another\nmax-memory:   2G  # and one\nemulator: true"
        #expect(
            try YAMLMapping.parse(text) == [
                YAMLMapping.Entry(name: "listen", value: "0.0.0.0:8080", line: 4),
                YAMLMapping.Entry(name: "max-memory", value: "2G", line: 6),
                YAMLMapping.Entry(name: "emulator", value: "true", line: 7),
            ]
        )
        #expect(try YAMLMapping.parse("").isEmpty && YAMLMapping.parse("---\n# nothing\n").isEmpty)
    }

    @Test(arguments: [
        ("a: b c", "b c"), ("a: b#c", "b#c"), ("a: b #c", "b"), ("a: b:c", "b:c"), ("a: -1", "-1"), ("a: ?x", "?x"),
        ("a: 'b: #c'", "b: #c"), ("a: 'it''s'  # x", "it's"), ("a: ''", ""), ("a: \"\"", ""), ("a: \"~\"", "~"),
        ("a: \"[::1]:80\"", "[::1]:80"), ("a: \"\\\"\\\\\\/\\n\\r\\t\\x41\\u00e9\\U0001f600\"", "\"\\/\n\r\tAé😀"),
        ("a: b\u{301}", "b\u{301}"), ("a: ~b", "~b"), ("a: nullable", "nullable"), ("a: b \"c\"", "b \"c\""),
    ])
    func `Values are plain or in quotes`(_ text: String, _ value: String) throws {
        #expect(try self.values(text) == [value])
    }

    @Test(arguments: [
        ("a:", "a has no value"), ("a: ", "a has no value"), ("a: # b", "a has no value"), ("a: ~", "a has no value"),
        ("a: NULL", "a has no value"),
        ("a: [b]", "a value that begins with [ stands in quotes"),
        ("a: *b", "a value that begins with * stands in quotes"),
        ("a: - b", "a value that begins with - stands in quotes"),
        ("a: -", "a value that begins with - stands in quotes"),
        ("a: %b", "a value that begins with % stands in quotes"),
        ("a: |", "a value that begins with | stands in quotes"),
        ("a: b: c", "a value with a colon and a space behind it stands in quotes"),
        ("a: b:", "a value with a colon and a space behind it stands in quotes"),
        ("a: 'b", "the quote does not end"), ("a: \"b", "the quote does not end"),
        ("a: \"b\\\"", "the quote does not end"),
        ("a: 'b' c", "something stands behind the quote"), ("a: 'b'#c", "something stands behind the quote"),
        ("a: \"\\q\"", "a backslash in quotes stands before one of \" \\ / n r t x u U"),
        ("a: \"\\x4\"", "an escaped character has 2 digits"), ("a: \"\\ud800\"", "an escaped character has 4 digits"),
        ("a: \"\\u+123\"", "an escaped character has 4 digits"),
        ("a:b", "a line is as in `max-memory: 2G`, with a space behind the colon"),
        ("a", "a line is as in `max-memory: 2G`"), (" a: b", "a line is as in `max-memory: 2G`"),
        ("- a", "a line is as in `max-memory: 2G`"), ("12: a", "a line is as in `max-memory: 2G`"),
        ("\"a\": b", "a line is as in `max-memory: 2G`"), ("{a: b}", "a line is as in `max-memory: 2G`"),
        ("%YAML 1.2", "a line is as in `max-memory: 2G`"), ("...", "a line is as in `max-memory: 2G`"),
        ("a: b\u{0}", "the character U+0 stands in it"), ("a:\tb", "the character U+9 stands in it"),
        ("a: b\rc: d", "the character U+D stands in it"), ("a: b\u{2028}c: d", "the character U+2028 stands in it"),
        ("\u{feff}a: b", "the character U+FEFF stands in it"), ("a: b\u{85}", "the character U+85 stands in it"),
    ])
    func `What is more than names and values is refused`(_ text: String, _ description: String) {
        let flaw = self.flaw("# one\n\(text)\n")
        #expect(flaw?.description == description && flaw?.line == 2, "\(String(describing: flaw))")
    }

    @Test func `A name stands there once`() {
        #expect(self.flaw("a: b\nc: d\na: b") == YAMLMapping.Flaw(3, "a stands in line 1, too"))
        #expect(self.flaw("a: b\n---\nc: d") == YAMLMapping.Flaw(2, "a line is as in `max-memory: 2G`"))
    }

    /// Marks that make another letter of the one before must not hide it.
    @Test func `A comment begins whatever stands above its sign`() throws {
        #expect(try self.values("a: b #\u{308}c") == ["b"])
        #expect(self.flaw("a: \"b\"\u{308}")?.description == "something stands behind the quote")
    }

    @Test(arguments: [
        "b", "", "~", "a: b", "a #b", " b ", "[::1]:80", "it's", "\"", "\\", "é\u{301}", "a\nb", "\u{0}", "\u{feff}",
        "\t",
    ])
    func `What is written is read as it was`(_ value: String) throws {
        #expect(
            try self.values("a: \(YAMLMapping.format(value))  # end").map { Array($0.unicodeScalars) } == [
                Array(value.unicodeScalars)
            ]
        )
        #expect(YAMLMapping.format("b c") == "b c")
    }

    @Test(arguments: [
        ("max-memroy", "max-memory"), ("max_memory", "max-memory"), ("memory", "max-memory"), ("shard", "shards"),
        ("", "shards"), ("Listen", "listen"), (String(repeating: "x", count: 10_000), "max-memory"),
    ])
    func `Who mistypes a name is told the nearest`(_ written: String, _ name: String) {
        let names = ["max-memory", "connection-memory", "shards", "listen"]
        #expect(NearestName.of(written, among: names) == name)
        #expect(NearestName.of(written, among: []) == nil)
    }
}
