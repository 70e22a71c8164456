import BrasaQueryModel
import BrasaTree
import Testing

struct NumberTests {
    /// JSON text, and the text it has when it is read back.
    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("-0.0", "0"), ("1", "1"), ("1.0", "1"), ("1e0", "1"), ("-12", "-12"), ("100e-2", "1"),
        ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
        ("9007199254740993", "9007199254740993"), ("9223372036854775808", "9223372036854776000"),
        ("18446744073709551616", "18446744073709552000"), ("1e20", "100000000000000000000"), ("1e21", "1e+21"),
        ("123456789012345680000", "123456789012345680000"), ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("-1.7976931348623157e308", "-1.7976931348623157e+308"), ("5e-324", "5e-324"), ("0.1", "0.1"),
        ("1.5", "1.5"), ("123.456", "123.456"), ("0.000001", "0.000001"), ("0.0000001", "1e-7"), ("1.5e-10", "1.5e-10"),
        ("1e-400", "0"), ("3.141592653589793", "3.141592653589793"), ("1E2", "100"), ("12e+1", "120"),
        ("0.00001234", "0.00001234"), ("123456.789e3", "123456789"),
    ])
    func `Numbers read back as JavaScript writes them`(_ text: String, _ written: String) throws {
        #expect(plain(try node(text)) == written)
    }

    @Test(arguments: [
        "01", "-", "+1", "1.", ".5", "1e", "1e+", "--1", "0x1", "1.2.3", "Infinity", "NaN", "1e5.5", "-a",
    ])
    func `What is no number`(_ text: String) {
        guard case .json? = refusal({ _ = try node(text) })?.reason else {
            Issue.record("\(text) is a number")
            return
        }
    }

    @Test(arguments: ["1e309", "-1e400", "1" + String(repeating: "0", count: 400)])
    func `Numbers beyond doubles are refused`(_ text: String) {
        #expect(refusal { _ = try node(text) }?.reason == .json(.numberOutOfRange, offset: 0))
    }

    @Test func `Every double reads back as itself`() throws {
        var random = SeededRandom(seed: 7)
        for _ in 0..<2_000 {
            let value = Double(bitPattern: random.next())
            guard let scalar = TreeScalar.number(value) else { continue }
            let back = try node(plain(.leaf(scalar)))
            #expect(back.scalar?.number == value)
            #expect(back == .leaf(scalar))
        }
    }

    @Test func `One and one point nought are one value, integers of 64 bits stay themselves`() throws {
        #expect(try node("1") == node("1.0"))
        #expect(try node("9007199254740992") != node("9007199254740993"))
        #expect(try node("9007199254740992").hash == node("9007199254740993").hash)
        #expect(TreeScalar.number(.nan) == nil)
        #expect(TreeScalar.number(-.infinity) == nil)
    }

    @Test func `Values are in the documented order`() throws {
        let texts = [
            "null", "false", "true", "-1.5", "-1", "0", "0.5", "3", #""""#, #""a""#, #""🐵""#, "\"\u{FFFF}\"",
            #"{"a":1}"#,
        ]
        let values = try texts.map { IndexValue(try node($0)) }
        #expect(values.reversed().sorted() == values)
    }
}
