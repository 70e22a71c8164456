import BrasaTree
import BrasaTreeRules
import Testing

struct DocumentTests {
    @Test func `Comments, and line breaks in strings, are a part of the text`() throws {
        let text = """
            // Rules of chat
            {
              /* all of them */
              "rules": {
                ".read": "auth != null &&
                          auth.uid == 'alice'", // who
                "\\u0061": { ".write": "'\\"' == '\\"'" }
              }
            }
            """
        let rules = try rules(text)
        #expect(try rules.reads("x"))
        #expect(try rules.writes("a", "1"))
        #expect(String(decoding: rules.text, as: UTF8.self) == text)
    }

    @Test(arguments: [
        ("", "Parse error: the text ends early."), ("{", "Parse error: the text ends early."),
        ("[]", "Expected an object with 'rules'"), ("{}", "Expected an object with 'rules'"),
        (#"{"rules":{},"x":1}"#, "Expected an object with 'rules'"),
        (#"{"rules":5}"#, "Expected 'rules' to be an object."),
        (#"{"rules":{"a":5}}"#, "Expected an object."), (#"{"rules":{".read":5}}"#, "Expected a string or a boolean."),
        (#"{"rules":{".read":{}}}"#, "Expected a string or a boolean."),
        (#"{"rules":{".foo":true}}"#, "Invalid key '.foo'."),
        (#"{"rules":{"a/b":{}}}"#, "Invalid key 'a/b'."), (#"{"rules":{"$a":{},"$b":{}}}"#, "Only one $ variable"),
        (#"{"rules":{"$a":{"x":{"$a":{}}}}}"#, "'$a' is the name of a variable above."),
        (#"{"rules":{"$":{}}}"#, "Invalid name of a $ variable."), (#"{"rules":{".indexOn":5}}"#, "Expected a path"),
        (#"{"rules":{".indexOn":["a.b"]}}"#, "Expected a path"), (#"{"rules":{"a":{},"a":{}}}"#, "'a' is there twice."),
        (#"{"rules":{}} x"#, "Parse error: unexpected 'x'."), (#"{"rules":{},}"#, "Parse error: unexpected '}'."),
        (#"{"rules":{"\x":{}}}"#, "Parse error: invalid escape."), (#"{"rules" {}}"#, "Parse error: unexpected '{'."),
        (String(repeating: #"{"rules":"#, count: 100), "Parse error: nested too deeply."),
        ("{/* x", "A comment does not end."),
        (String(repeating: " ", count: 256 * 1024 + 1), "Rules of more than 262144 bytes."),
    ])
    func `Texts that are refused`(_ text: String, _ message: String) {
        #expect(refusal(text).first?.message.hasPrefix(message) == true, "\(refusal(text))")
    }

    @Test func `A diagnostic names rule, line and column of what is wrong`() {
        let text = """
            {"rules": {
              "é": {".read": "auth.uid == 'x' && foo"},
              "b": {
                ".write": "true &&
                   bar"
              }
            }}
            """
        #expect(
            refusal(text).map(\.description) == [
                "Line 2:38: /é/.read: Unknown variable 'foo'.", "Line 5:8: /b/.write: Unknown variable 'bar'.",
            ]
        )
    }

    @Test func `No more is reported than anybody would read`() {
        let many = (0..<500).map { #""k\#($0)":{".read":"x"}"# }.joined(separator: ",")
        #expect(refusal(#"{"rules":{\#(many)}}"#).count == 100)
    }

    @Test func `Nothing that is uploaded is a trap`() {
        let tokens = [
            "{", "}", "[", "]", ":", ",", "\"", "\\", "'", "/", "*", "(", ")", ".", "$a", "auth", "data", "newData",
            "1", "&&",
            "||", "!", "==", "?", "\"rules\"", "\".read\"", "\".write\"", "true", "null", ".val()", ".matches(/a/)",
            "é", "+", "-",
        ]
        var state: UInt64 = 42
        func below(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<5_000 {
            let text = (0..<below(12)).map { _ in tokens[below(tokens.count)] }.joined()
            _ = refusal(text)
            _ = refusal(#"{"rules":{".write":\#(quoted(text))}}"#)
        }
    }
}
