import BrasaDocuments
import BrasaQueryModel
import Testing

struct FieldPathTests {
    @Test(arguments: [
        ("a", ["a"]), ("a.b", ["a", "b"]), ("_a1.B_2", ["_a1", "B_2"]), ("`a.b`", ["a.b"]),
        ("a.`b c`.d", ["a", "b c", "d"]),
        (#"`\``"#, ["`"]), (#"`\\`"#, [#"\"#]), (#"`a\b`"#, ["ab"]), ("`é😀`", ["é😀"]), (#"`\é`"#, ["é"]),
        ("`0`", ["0"]),
        ("____", ["____"]), ("__name__", ["__name__"]),
    ])
    func `A path is read into its names`(text: String, names: [String]) throws {
        let path = try FieldPath(parsing: Array(text.utf8))
        #expect(path.segments.map(\.string) == names)
        #expect(try FieldPath(parsing: Array(path.canonical.utf8)) == path)
    }

    @Test(arguments: [
        "a..b", ".a", "a.", ".", "0foo", "max-missing", "a[0]", "a b", "é", "`a", "a`b`", "``", "`a`b", #"`\`"#,
        #"`a\"#, "*",
    ])
    func `What is no path is refused with the grammar`(text: String) {
        let error = refusal { () throws(DocumentError) in try FieldPath(parsing: Array(text.utf8)) }
        #expect(
            error?.message
                == "Invalid property path \"\(text)\". Unquoted property paths must match regex ([a-zA-Z_][a-zA-Z_0-9]*), "
                + #"and quoted property paths must match regex (`(?:[^`\\]|(?:\\.))+`)"#
        )
    }

    @Test(arguments: [
        ("", "Invalid empty property path string."),
        ("__x__", "Invalid reserved name in field path __x__"),
        ("a.__x__", "Invalid reserved name in field path a.__x__"),
        ("a.__name__", "Invalid reserved name in field path a.__name__"),
        (String(repeating: "x", count: 1_501), "property path is longer than 1500 bytes."),
        (Array(repeating: "x", count: 751).joined(separator: "."), "property path is longer than 1500 bytes."),
    ])
    func `A path that breaks a rule is refused with its reason`(text: String, message: String) {
        let error = refusal { () throws(DocumentError) in try FieldPath(parsing: Array(text.utf8)) }
        #expect(error?.message == message)
    }

    @Test func `The longest path is accepted`() throws {
        #expect(
            try FieldPath(parsing: Array(repeating: "xx", count: 500).joined(separator: ".").utf8.dropLast(0)).segments
                .count == 500
        )
    }

    @Test func `Equal paths have one canonical form, quoted only where needed`() throws {
        #expect(field("`a`.b") == field("a.`b`"))
        #expect(field("`a`.`b.c`").canonical == "a.`b.c`")
        #expect(field(#"`\a\``"#).canonical == #"`a\``"#)
        #expect(field("a").contains(field("a.b")))
        #expect(!field("a.b").contains(field("a")))
        #expect(!field("a").contains(field("ab")))
    }

    @Test func `Any bytes are read or refused`() {
        for seed in 0..<2_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let bytes = (0..<random.below(8)).map { _ in random.pick(Array("a.`\\_0é".utf8)) }
            do throws(DocumentError) {
                let path = try FieldPath(parsing: bytes)
                #expect(try FieldPath(parsing: Array(path.canonical.utf8)) == path, "seed \(seed)")
            } catch {
                #expect(error.code == .invalidArgument, "seed \(seed)")
            }
        }
    }
}
