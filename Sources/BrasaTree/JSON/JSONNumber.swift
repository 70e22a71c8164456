/// Numbers of JSON: which value a text has, and the text of a value as JavaScript writes it.
enum JSONNumber {
    struct Failure: Error {
        let fault: JSONFault
    }

    static func parse(_ text: [UInt8]) -> Result<JSONScalar, Failure> {
        guard let shape = self.shape(text) else { return .failure(Failure(fault: .invalidNumber)) }
        if shape == .integer, let integer = self.integer(text) { return .success(.integer(integer)) }
        guard let double = Double(String(decoding: text, as: UTF8.self)), double.isFinite else {
            return .failure(Failure(fault: .numberOutOfRange))
        }
        return .success(.double(double))
    }

    private enum Shape {
        case integer, fraction
    }

    /// Nil when the text breaks the grammar: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
    private static func shape(_ text: [UInt8]) -> Shape? {
        var index = text.first == UInt8(ascii: "-") ? 1 : 0
        let whole = self.digits(text, &index)
        guard whole > 0, whole == 1 || text[index - whole] != UInt8(ascii: "0") else { return nil }
        if index == text.count { return .integer }
        if text[index] == UInt8(ascii: ".") {
            index += 1
            guard self.digits(text, &index) > 0 else { return nil }
        }
        if index < text.count, text[index] == UInt8(ascii: "e") || text[index] == UInt8(ascii: "E") {
            index += 1
            if index < text.count, text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-") { index += 1 }
            guard self.digits(text, &index) > 0 else { return nil }
        }
        return index == text.count ? .fraction : nil
    }

    private static func digits(_ text: [UInt8], _ index: inout Int) -> Int {
        let start = index
        while index < text.count, text[index] &- UInt8(ascii: "0") <= 9 { index += 1 }
        return index - start
    }

    /// Nil beyond 64 bits.
    private static func integer(_ text: [UInt8]) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        var value: Int64 = 0
        for byte in text.dropFirst(isNegative ? 1 : 0) {
            let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(byte &- UInt8(ascii: "0"))
            let (sum, carried) = scaled.addingReportingOverflow(isNegative ? -digit : digit)
            guard !overflow, !carried else { return nil }
            value = sum
        }
        return value
    }

    static func append(_ value: Int64, to text: inout [UInt8]) {
        if value < 0 { text.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        let start = text.count
        repeat {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        text[start...].reverse()
    }

    /// The shortest digits that read back as the same number; an exponent from 1e21 up and below 1e-6 only.
    static func append(_ value: Double, to text: inout [UInt8]) {
        guard value.isFinite, value != 0 else {
            text.append(UInt8(ascii: "0"))
            return
        }
        if value < 0 { text.append(UInt8(ascii: "-")) }
        var digits: [UInt8] = []
        let point = self.decimal(value.magnitude, &digits)
        switch point {
        case 1...21 where digits.count <= point:
            text += digits
            text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: point - digits.count))
        case 1...21:
            text += digits[..<point]
            text.append(UInt8(ascii: "."))
            text += digits[point...]
        case -5...0:
            text += Array("0.".utf8)
            text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: -point))
            text += digits
        default:
            text.append(digits[0])
            if digits.count > 1 {
                text.append(UInt8(ascii: "."))
                text += digits[1...]
            }
            text.append(UInt8(ascii: "e"))
            if point > 0 { text.append(UInt8(ascii: "+")) }
            self.append(Int64(point - 1), to: &text)
        }
    }

    /// The digits without zeros at either end; the number is `0.digits` times ten to the power of what is returned.
    private static func decimal(_ value: Double, _ digits: inout [UInt8]) -> Int {
        var point: Int?
        var exponent = 0
        var text = value.description.utf8[...]
        if let mark = text.firstIndex(of: UInt8(ascii: "e")) {
            exponent = Int(String(decoding: text[text.index(after: mark)...], as: UTF8.self)) ?? 0
            text = text[..<mark]
        }
        for byte in text {
            if byte == UInt8(ascii: ".") { point = digits.count } else { digits.append(byte) }
        }
        var position = (point ?? digits.count) + exponent
        while digits.count > 1, digits.last == UInt8(ascii: "0") { digits.removeLast() }
        let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(zeros)
        position -= zeros
        return position
    }
}
