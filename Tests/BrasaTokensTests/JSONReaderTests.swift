import BrasaIdentity
import Testing

@testable import BrasaTokens

@Suite struct JSONReaderTests {
    @Test(
        arguments: [
            (#"{}"#, [:]),
            (#" { "a" : [ ] , "b":{"c":null} } "#, ["a": .list([]), "b": .map(["c": .null])]),
            (#"{"a":true,"b":false}"#, ["a": .bool(true), "b": .bool(false)]),
            (
                #"{"a":-0,"b":9223372036854775807,"c":9223372036854775808}"#,
                ["a": .integer(0), "b": .integer(.max), "c": .number(9_223_372_036_854_775_808)]
            ),
            (#"{"a":1.5e2,"b":-1E-2,"c":1e2}"#, ["a": .number(150), "b": .number(-0.01), "c": .number(100)]),
            (#"{"a":"\"\\\/\b\f\n\r\tä\u00e4\ud83d\ude00"}"#, ["a": .text("\"\\/\u{8}\u{c}\n\r\tää😀")]),
        ] as [(String, [ClaimName: Claim])]
    )
    func `JSON is read as it is meant`(_ text: String, _ members: [ClaimName: Claim]) throws {
        #expect(try JSONReader.object(Array(text.utf8)) == members)
    }

    @Test(arguments: [
        "", " ", "[]", "1", "{", "}", "{]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,}"#, #"{a:1}"#, #"{'a':1}"#,
        #"{"a":1}x"#, #"{"a":01}"#, #"{"a":+1}"#, #"{"a":.5}"#, #"{"a":1.}"#, #"{"a":1e}"#, #"{"a":1e999}"#,
        #"{"a":-}"#, #"{"a":NaN}"#, #"{"a":tru}"#, #"{"a":truex}"#, #"{"a":[1 2]}"#, #"{"a":[1,]}"#, #"{"a":"b}"#,
        #"{"a":"\x"}"#, #"{"a":"\u12"}"#, #"{"a":"\u12g4"}"#, #"{"a":"\ud800"}"#, #"{"a":"\ud800\u0041"}"#,
        #"{"a":"\udc00"}"#, "{\"a\":\"\n\"}", "\u{feff}{}", #"{"a":/**/1}"#,
    ])
    func `What is no JSON is refused`(_ text: String) {
        #expect(throws: JSONError.malformed) { try JSONReader.object(Array(text.utf8)) }
    }

    @Test func `Bytes that are no UTF-8 are refused`() {
        let text = Array(#"{"a":"x"}"#.utf8).map { $0 == UInt8(ascii: "x") ? 0xff : $0 }
        #expect(throws: JSONError.malformed) { try JSONReader.object(text) }
    }

    @Test func `Depth, values and names have their bounds`() {
        let nested = { (depth: Int) in
            Array((#"{"a":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}").utf8)
        }
        #expect(throws: Never.self) { try JSONReader.object(nested(JSONReader.depthMax - 1)) }
        #expect(throws: JSONError.tooDeep) { try JSONReader.object(nested(JSONReader.depthMax)) }
        #expect(throws: JSONError.tooDeep) { try JSONReader.object(nested(1_000_000)) }
        #expect(throws: JSONError.tooManyValues) { try JSONReader.object(Array(#"{"a":[1,2,3]}"#.utf8), valuesMax: 4) }
        #expect(throws: Never.self) { try JSONReader.object(Array(#"{"a":[1,2,3]}"#.utf8), valuesMax: 5) }
        for text in [#"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"{"b":{"a":1,"c":2,"a":3}}"#] {
            #expect(throws: JSONError.duplicateMember) { try JSONReader.object(Array(text.utf8)) }
        }
    }

    /// No text, however it is cut or changed, does anything but give members or an error.
    @Test func `Every cut and every changed byte of a text is an answer`() {
        let text = Array(#"{"a":[1,-2.5e3,"x\u00e4\ud83d\ude00"],"b":{"c":null,"d":true}}"#.utf8)
        for end in 0..<text.count { #expect(throws: JSONError.self) { try JSONReader.object(Array(text[..<end])) } }
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[index] = byte
                _ = try? JSONReader.object(changed)
            }
        }
    }

    @Test func `What is written is read back`() throws {
        let text = JSONWriter.object([
            ("a\"\\\n\u{1}ä", .string("\u{7f}\r\n\t\u{0}😀")), ("b", .list([.integer(-1), .bool(false), .list([])])),
        ]).text
        #expect(
            try JSONReader.object(Array(text.utf8)) == [
                "a\"\\\n\u{1}ä": .text("\u{7f}\r\n\t\u{0}😀"),
                "b": .list([.integer(-1), .bool(false), .list([])]),
            ]
        )
    }

    @Test func `Base64 has one spelling for each run of bytes`() {
        var seen: Set<String> = []
        for first in UInt8.min...UInt8.max {
            for bytes in [[first], [first, 0], [0xff, first, 0x3e]] {
                let text = Base64URL.encode(bytes)
                #expect(Base64URL.decode(text.utf8) == bytes)
                seen.insert(text)
            }
        }
        #expect(seen.count == 3 * 256)
        for text in ["A", "AAAAA", "AB", "AAB", "AA==", "A A", "AA\n", "+A", "/A", "Ä"] {
            #expect(Base64URL.decode(text.utf8) == nil, "\(text)")
        }
        #expect(Base64URL.decode("".utf8) == [])
    }
}
