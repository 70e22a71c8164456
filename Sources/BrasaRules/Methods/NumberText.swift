internal import BrasaDocuments

/// Numbers as text and back, as `string()`, `int()` and `float()` have them.
enum NumberText {
    /// The shortest digits that mean this number: plain from 10⁻³ to 10⁷, with an exponent elsewhere.
    static func text(of float: Double) -> String {
        if float.isNaN { return "NaN" }
        if float.isInfinite { return float < 0 ? "-Infinity" : "Infinity" }
        if float == 0 { return float.sign == .minus ? "-0.0" : "0.0" }
        let sign = float < 0 ? "-" : ""
        let (digits, exponent) = self.decimal(float.magnitude)
        if (-3..<7).contains(exponent) {
            return sign + self.plain(digits, exponent)
        }
        let fraction = digits.dropFirst()
        return "\(sign)\(digits.prefix(1)).\(fraction.isEmpty ? "0" : fraction)E\(exponent)"
    }

    /// `d.ddd · 10^exponent` as digits and exponent.
    private static func decimal(_ magnitude: Double) -> (digits: String, exponent: Int) {
        let parts = magnitude.description.split(separator: "e", maxSplits: 1)
        let mantissa = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        var exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let whole = mantissa[0]
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        exponent += whole.count - 1
        var digits = String(whole + fraction)
        while digits.count > 1, digits.hasPrefix("0") {
            digits.removeFirst()
            exponent -= 1
        }
        while digits.count > 1, digits.hasSuffix("0") { digits.removeLast() }
        return (digits, exponent)
    }

    private static func plain(_ digits: String, _ exponent: Int) -> String {
        if exponent < 0 {
            return "0." + String(repeating: "0", count: -exponent - 1) + digits
        }
        let padded = digits + String(repeating: "0", count: max(0, exponent + 2 - digits.count))
        return "\(padded.prefix(exponent + 1)).\(padded.dropFirst(exponent + 1))"
    }

    /// A sign and digits; nil for any other text and for what is out of range.
    static func int(_ text: RuleText, _ work: inout Work) throws(EvaluationError) -> Int64? {
        guard text.bytes.count <= Self.lengthMax else { return nil }
        let bytes = try text.all(.coded, &work)
        let digits = bytes.first.map { $0 == 0x2B || $0 == 0x2D } == true ? bytes.dropFirst() : bytes
        guard !digits.isEmpty, digits.allSatisfy(Lexer.isDigit) else { return nil }
        return Int64(String(decoding: bytes, as: UTF8.self))
    }

    /// Characters of a number.
    private static let lengthMax = 4_096

    /// Decimal digits with point and exponent, `NaN` and `Infinity`.
    static func float(_ text: RuleText, _ work: inout Work) throws(EvaluationError) -> Double? {
        guard text.bytes.count <= Self.lengthMax else { return nil }
        let bytes = Array(try text.all(.coded, &work))
        switch String(decoding: bytes, as: UTF8.self) {
        case "NaN", "+NaN", "-NaN": return .nan
        case "Infinity", "+Infinity": return .infinity
        case "-Infinity": return -.infinity
        default: break
        }
        guard !bytes.isEmpty, bytes.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
        // A point may stand first or last there, which the library does not read.
        var padded: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isPoint = byte == UInt8(ascii: ".")
            if isPoint, padded.last.map(Lexer.isDigit) != true { padded.append(UInt8(ascii: "0")) }
            padded.append(byte)
            if isPoint, index + 1 == bytes.count || !Lexer.isDigit(bytes[index + 1]) {
                guard index > 0, Lexer.isDigit(bytes[index - 1]) else { return nil }
                padded.append(UInt8(ascii: "0"))
            }
        }
        return Double(String(decoding: padded, as: UTF8.self))
    }

    /// Truncated, and as near as an integer gets; NaN is 0.
    static func int(_ float: Double) -> Int64 {
        if float.isNaN { return 0 }
        return float >= 0x1p63 ? .max : float <= -0x1p63 ? .min : Int64(float)
    }
}
