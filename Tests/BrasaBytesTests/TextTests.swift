import BrasaBytes
import Testing

@Suite struct TextTests {
    @Test(
        arguments: [
            ("", ""), ("a%20b", "a b"), ("%28default%29", "(default)"), ("%C3%a9", "é"), ("%25", "%"), ("a+b", "a+b"),
            ("%", nil), ("%2", nil), ("%zz", nil), ("a%2", nil), ("%%20", nil),
        ] as [(String, String?)]
    )
    func `Escapes are decoded, and refused when they are none`(_ text: String, _ expected: String?) {
        #expect(PercentEncoding.decode(text.utf8) == expected.map { Array($0.utf8) })
    }

    @Test(arguments: [
        ("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("%%20", "% "), ("%e2%82%ac", "€"), ("100%25%", "100%%"),
    ])
    func `Where they may, what is no escape stands for itself`(_ text: String, _ expected: String) {
        #expect(PercentEncoding.decode(text.utf8, incomplete: .standsForItself) == Array(expected.utf8))
    }

    @Test func `A plus is a space where that is asked for`() {
        #expect(PercentEncoding.decode("a+b%2B".utf8, plusIsSpace: true) == Array("a b+".utf8))
    }

    @Test func `Every byte survives its escape and its two digits`() {
        for byte in UInt8.min...UInt8.max {
            var text: [UInt8] = []
            PercentEncoding.append(byte, to: &text)
            #expect(PercentEncoding.decode(text) == [byte])
            for letters in [Hexadecimal.Letters.upper, .lower] {
                let digits = Hexadecimal.encode([byte], letters)
                #expect(digits.compactMap(Hexadecimal.value) == [byte >> 4, byte & 0xF])
            }
        }
        #expect(Hexadecimal.encode([0xA0, 0x0F], .upper) == Array("A00F".utf8))
        #expect(Hexadecimal.encode([0xA0, 0x0F], .lower) == Array("a00f".utf8))
        for byte in "/:@G`g ".utf8 { #expect(Hexadecimal.value(byte) == nil) }
    }

    @Test(
        arguments: [
            (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2000, 3, 1, 11_017), (1900, 3, 1, -25_508),
            (1, 1, 1, -719_162), (9_999, 12, 31, 2_932_896), (0, 3, 1, -719_468), (-1, 12, 31, -719_529),
        ] as [(Int64, Int64, Int64, Int64)]
    )
    func `Days have their dates`(_ year: Int64, _ month: Int64, _ day: Int64, _ days: Int64) {
        let date = CivilDate(year: year, month: month, day: day)
        #expect(date.daysSinceEpoch == days && CivilDate(daysSinceEpoch: days) == date)
    }

    @Test func `Dates follow one another without a gap`() {
        var last = CivilDate(daysSinceEpoch: -150_001)
        for day in -150_000...150_000 as ClosedRange<Int64> {
            let date = CivilDate(daysSinceEpoch: day)
            #expect(date.daysSinceEpoch == day)
            let isNext =
                date.day == last.day + 1 && date.month == last.month && date.year == last.year
                || date.day == 1 && last.day >= 28
                    && (date.month == last.month + 1 && date.year == last.year
                        || date.month == 1 && last.month == 12 && date.year == last.year + 1)
            #expect(isNext, "\(date)")
            last = date
        }
    }

    @Test(arguments: [
        (2026, 2, 29), (2026, 4, 31), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (0, 1, 1), (10_000, 1, 1),
    ])
    func `There is no such day`(_ year: Int64, _ month: Int64, _ day: Int64) {
        #expect(CivilDate(checking: year, month, day) == nil)
    }

    @Test func `JSON is written with its commas and escapes`() {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("a\"\\\n", "b")
            writer.member("c") { $0.array([1, 2]) { $1.number($0) } }
            writer.member("d") { $0.object { _ in } }
            writer.member("e") { $0.boolean(true) }
            writer.member("f") { $0.null() }
        }
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"a\"\\\u000a":"b","c":[1,2],"d":{},"e":true,"f":null}"#
        )
    }
}
