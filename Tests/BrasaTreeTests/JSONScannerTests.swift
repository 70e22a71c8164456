import BrasaQueryModel
import BrasaTree
import Testing

struct JSONScannerTests {
    @Test(arguments: [
        (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u2714""#, "Aé✔"),
        (#""\ud83d\udc35""#, "🐵"), (#""\uD83Dx""#, "\u{FFFD}x"), (#""\udc35""#, "\u{FFFD}"),
        (#""\ud83d\ud83d\udc35""#, "\u{FFFD}🐵"), (#""\ud83d\n""#, "\u{FFFD}\n"), (#""\u0000""#, "\u{0}"),
        ("\"x\u{7F}\u{2028}\"", "x\u{7F}\u{2028}"),
    ])
    func `Strings are unescaped`(_ text: String, _ meant: String) throws {
        #expect(try node(text).scalar == .string(TreeText(meant)))
        #expect(try node(plain(.leaf(.string(TreeText(meant))))).scalar == .string(TreeText(meant)))
    }

    @Test(arguments: [
        ("", JSONFault.unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("{", .unexpectedEnd, 1),
        ("[1,", .unexpectedEnd, 3),
        (#"{"a""#, .unexpectedEnd, 4), (#"{"a":"#, .unexpectedEnd, 5), (#""abc"#, .unexpectedEnd, 4),
        ("tru", .unexpectedEnd, 3), (#""\u00"#, .unexpectedEnd, 5), ("[1,]", .unexpectedByte(0x5D), 3),
        (#"{"a":1,}"#, .unexpectedByte(0x7D), 7), ("[1 2]", .unexpectedByte(0x32), 3),
        ("{a:1}", .unexpectedByte(0x61), 1),
        ("trux", .unexpectedByte(0x78), 3), ("1 1", .afterEnd, 2), ("{}}", .afterEnd, 2),
        ("[}", .unexpectedByte(0x7D), 1),
        (#"{"a":1]"#, .unexpectedByte(0x5D), 6), (#""\x""#, .invalidEscape, 2), (#""\u00g0""#, .invalidEscape, 5),
        ("\"a\nb\"", .controlCharacter, 2), ("'a'", .unexpectedByte(0x27), 0), ("[01]", .invalidNumber, 1),
        ("// x", .unexpectedByte(0x2F), 0), ("[,1]", .unexpectedByte(0x2C), 1), ("\u{FEFF}1", .unexpectedByte(0xEF), 0),
    ])
    func `What is no JSON is refused where it goes wrong`(_ text: String, _ fault: JSONFault, _ offset: Int) {
        #expect(refusal { _ = try node(text) }?.reason == .json(fault, offset: offset))
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC3], [0xE2, 0x9C], [0xF0, 0x9F, 0x90], [0xFF],
        ] as [[UInt8]]
    )
    func `Invalid UTF-8 is refused in values and keys`(_ bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        let value = [quote] + bytes + [quote]
        #expect(refusal { _ = try TreeTemplate(parsing: value) }?.reason == .json(.invalidUTF8, offset: 0))
        let member = Array("{".utf8) + value + Array(":1}".utf8)
        #expect(refusal { _ = try TreeTemplate(parsing: member) }?.reason == .json(.invalidUTF8, offset: 1))
    }

    @Test func `A text may arrive in any pieces`() throws {
        let text =
            #" {"a" : [1, -2.5e1, true ,null,"x\u00e9\ud83d\udc35✔\n"],"é":{".value":false,".priority":"🐵"},"n":12 } "#
        let bytes = Array(text.utf8)
        let whole = try TreeTemplate(parsing: bytes).node
        for first in 0...bytes.count {
            for second in [first, (first + bytes.count) / 2, bytes.count] {
                var scanner = JSONScanner(TreeReader())
                try scanner.read(Array(bytes[..<first]))
                try scanner.read(Array(bytes[first..<second]))
                try scanner.read(Array(bytes[second...]))
                #expect(try scanner.finish().template?.node == whole)
            }
        }
    }

    @Test func `Of equal keys the last counts`() throws {
        #expect(plain(try node(#"{"a":1,"b":2,"a":3}"#)) == #"{"a":3,"b":2}"#)
        #expect(plain(try node(#"{"a":1,"a":null,"b":2}"#)) == #"{"b":2}"#)
        #expect(plain(try node(#"{"b":{"x":1},"a":0,"b":{"y":2}}"#)) == #"{"a":0,"b":{"y":2}}"#)
        let dropped = try template(#"{"b":{"x":{".sv":"timestamp"}},"a":{".sv":"timestamp"},"b":1,"a":2}"#)
        #expect(dropped.serverValues == nil)
        #expect(plain(dropped.node) == #"{"a":2,"b":1}"#)
    }

    @Test func `Depth, size and strings have bounds`() throws {
        let deep = String(repeating: "[", count: 100_000)
        guard case .tooDeep? = refusal({ _ = try node(deep) })?.reason else {
            Issue.record("100,000 levels were read")
            return
        }
        #expect(
            refusal { _ = try JSONValue(parsing: Array(deep.utf8)) }?.reason
                == .json(.tooDeep(levelsMax: 64), offset: 64)
        )
        var limits = JSONScanner<TreeReader>.Limits()
        limits.bytesMax = 10
        limits.stringBytesMax = 4
        var scanner = JSONScanner(TreeReader(at: try path("a/b")), limits: limits)
        try scanner.read(Array(#"{"abcd":"#.utf8))
        #expect(refusal { try scanner.read(Array("123".utf8)) }?.reason == .textTooLong(bytesMax: 10))
        var other = JSONScanner(TreeReader(at: try path("a/b")), limits: limits)
        let tooLong = refusal { try other.read(Array(#"{"c":"12345"#.utf8.prefix(10))) }
        #expect(tooLong == nil)
        var third = JSONScanner(TreeReader(at: try path("a")), limits: limits)
        let error = refusal { try third.read(Array(#"["12345"]"#.utf8)) }
        #expect(error?.reason == .stringTooLong(bytesMax: 4))
        #expect(error?.path == (try path("a")))
    }

    /// Against a limit of four bytes.
    @Test(arguments: [
        (#""\n\t\"\\""#, true), (#""\n\t\"\\\/""#, false), (#""\u0041\u00e9A""#, true), (#""\u0041\u00e9AB""#, false),
        (#""\ud83d\udc35""#, true), (#""\ud83d\udc35\n""#, false), (#""a\ud83d""#, true), (#""ab\ud83d""#, false),
        (#""\ud83d\ud83d""#, false), (#""a\ud83db""#, false), (#"{"\n\n\n\n\n":1}"#, false),
    ])
    func `A string is as long as what its escapes stand for`(_ text: String, _ fits: Bool) {
        var limits = JSONScanner<JSONValueReader>.Limits()
        limits.stringBytesMax = 4
        let error = refusal {
            var scanner = JSONScanner(JSONValueReader(), limits: limits)
            try scanner.read(Array(text.utf8))
            _ = try scanner.finish()
        }
        #expect(error?.reason == (fits ? nil : .stringTooLong(bytesMax: 4)))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `A number that is none is refused, not taken for nothing`(_ number: Double) throws {
        #expect(refusal { _ = try TreeTemplate(["a": .scalar(.double(number))]) }?.reason == .numberNotFinite)
        #expect(refusal { _ = try TreeTemplate(["a": .scalar(.double(number))]) }?.path == (try path("a")))
        #expect(refusal { _ = try TreeTemplate(["a": 1, ".priority": .scalar(.double(number))]) } != nil)
        #expect(refusal { _ = try TreeQuery(wire: ["sp": .scalar(.double(number))]) } != nil)
    }

    @Test func `Nothing that strangers send is a trap`() {
        var random = SeededRandom(seed: 11)
        let tokens =
            [
                "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u", "d83d", "1", "-", ".", "e", "true", "null", #"".sv""#,
                #"".value""#, #"".priority""#, #""a""#, #""increment""#, "\u{0}", "é", " ",
            ].map { Array($0.utf8) } + [[0xFF], [0xC3]]
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(14)).flatMap { _ in random.pick(tokens) }
            _ = try? TreeTemplate(parsing: bytes)
            _ = try? JSONValue(parsing: bytes)
            var update = JSONScanner(UpdateReader())
            if (try? update.read(bytes)) != nil { _ = try? update.finish().entries }
        }
    }

    @Test func `What a client makes reads back as it was`() throws {
        var chance = try Chance(seed: 3)
        for _ in 0..<500 {
            let made = chance.node()
            #expect(try node(exported(made)) == made)
            #expect(try TreeTemplate(made.json(.export)).node == made)
            #expect(try JSONValue(parsing: made.text(.plain)) == made.json(.plain))
        }
    }
}
