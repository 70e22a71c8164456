internal import BrasaDocuments

/// A JSON text taken apart. Numbers stay text, since who reads them knows what they are.
enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    /// Of equal keys the last counts. Keys are equal by their bytes, as names of fields are.
    case object([UTF8Text: JSONValue])

    /// Nil for everything but one JSON value, white space around it aside.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = JSONReader(bytes)
        guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
        self = value
    }

    subscript(key: UTF8Text) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    var string: String? { if case .string(let string) = self { string } else { nil } }
    var boolean: Bool? { if case .boolean(let boolean) = self { boolean } else { nil } }
    var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    var object: [UTF8Text: JSONValue]? { if case .object(let members) = self { members } else { nil } }

    /// A number, or a number in a string as protocol buffers write 64 bits.
    var integer: Int64? {
        switch self {
        case .number(let text), .string(let text): Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
        default: nil
        }
    }

    /// Also the three that JSON has no number for.
    var double: Double? {
        switch self {
        case .string("NaN"): .nan
        case .string("Infinity"): .infinity
        case .string("-Infinity"): -.infinity
        case .number(let text), .string(let text): Double(text)
        default: nil
        }
    }
}

/// Reads a JSON text once from its beginning to its end.
private struct JSONReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    /// Far more than any value of the protocol nests; bounds the recursion.
    private static let depthMax = 100

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        self.position = bytes.startIndex
    }

    var isAtEnd: Bool {
        mutating get {
            self.skipSpace()
            return self.position == self.bytes.endIndex
        }
    }

    mutating func value(depth: Int) -> JSONValue? {
        self.skipSpace()
        guard depth <= Self.depthMax, let first = self.peek else { return nil }
        switch first {
        case UInt8(ascii: "{"): return self.object(depth: depth)
        case UInt8(ascii: "["): return self.array(depth: depth)
        case UInt8(ascii: "\""): return self.string().map { .string($0) }
        case UInt8(ascii: "t"): return self.take("true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): return self.take("false") ? .boolean(false) : nil
        case UInt8(ascii: "n"): return self.take("null") ? .null : nil
        default: return self.number()
        }
    }

    private var peek: UInt8? { self.position < self.bytes.endIndex ? self.bytes[self.position] : nil }

    private mutating func skipSpace() {
        while let byte = self.peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { self.position += 1 }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let end = self.position + text.utf8CodeUnitCount
        guard end <= self.bytes.endIndex,
            self.bytes[self.position..<end].elementsEqual(
                UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
            )
        else { return false }
        self.position = end
        return true
    }

    private mutating func object(depth: Int) -> JSONValue? {
        var members: [UTF8Text: JSONValue] = [:]
        self.position += 1
        self.skipSpace()
        if self.take("}") { return .object([:]) }
        while true {
            self.skipSpace()
            guard self.peek == UInt8(ascii: "\""), let key = self.string() else { return nil }
            self.skipSpace()
            guard self.take(":"), let value = self.value(depth: depth + 1) else { return nil }
            members[UTF8Text(key)] = value
            self.skipSpace()
            if self.take("}") { return .object(members) }
            guard self.take(",") else { return nil }
        }
    }

    private mutating func array(depth: Int) -> JSONValue? {
        var elements: [JSONValue] = []
        self.position += 1
        self.skipSpace()
        if self.take("]") { return .array([]) }
        while true {
            guard let value = self.value(depth: depth + 1) else { return nil }
            elements.append(value)
            self.skipSpace()
            if self.take("]") { return .array(elements) }
            guard self.take(",") else { return nil }
        }
    }

    private mutating func number() -> JSONValue? {
        let start = self.position
        while let byte = self.peek, Self.isOfNumber(byte) { self.position += 1 }
        let text = String(decoding: self.bytes[start..<self.position], as: UTF8.self)
        guard let first = text.utf8.first, first != UInt8(ascii: "+"), Double(text) != nil else { return nil }
        return .number(text)
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// At the opening quote.
    private mutating func string() -> String? {
        var text: [UInt8] = []
        self.position += 1
        while let byte = self.peek {
            self.position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"): guard self.escape(into: &text) else { return nil }
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    /// After the backslash.
    private mutating func escape(into text: inout [UInt8]) -> Bool {
        guard let byte = self.peek else { return false }
        self.position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            guard let scalar = self.scalar() else { return false }
            text.append(contentsOf: String(scalar).utf8)
        default: return false
        }
        return true
    }

    /// After `\u`: one unit, or two that belong together.
    private mutating func scalar() -> Unicode.Scalar? {
        guard let unit = self.unit() else { return nil }
        guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
        guard self.take("\\u"), let low = self.unit(), (0xDC00..<0xE000).contains(low) else { return nil }
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    }

    private mutating func unit() -> UInt32? {
        let end = self.position + 4
        guard end <= self.bytes.endIndex else { return nil }
        defer { self.position = end }
        let digits = self.bytes[self.position..<end]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
