import BrasaIdentity

/// Why a text is no JSON that is read here. Says nothing of what the text holds.
enum JSONError: Error, Hashable, Sendable {
    case malformed
    /// An object names a member twice: two readers could take different ones.
    case duplicateMember
    case tooDeep
    case tooManyValues
}

/// Reads one JSON text (RFC 8259) as strictly as what decides about access has to be read.
///
/// The caller bounds the text's length; depth and the count of values are bounded here, so neither the stack nor memory
/// follows what the text asks for.
struct JSONReader {
    static let depthMax = 16

    private let bytes: [UInt8]
    private var position = 0
    private var valuesLeft: Int

    private init(_ bytes: [UInt8], valuesMax: Int) {
        self.bytes = bytes
        self.valuesLeft = valuesMax
    }

    /// The members of the object that the text is.
    static func object(_ bytes: [UInt8], valuesMax: Int = 1_000) throws(JSONError) -> [ClaimName: Claim] {
        var reader = Self(bytes, valuesMax: valuesMax)
        guard case .map(let members) = try reader.value(depth: 0) else { throw .malformed }
        reader.skipSpace()
        guard reader.position == bytes.count else { throw .malformed }
        return members
    }

    private var next: UInt8? { self.position < self.bytes.count ? self.bytes[self.position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard self.next == byte else { return false }
        self.position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = self.next, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { self.position += 1 }
    }

    private mutating func value(depth: Int) throws(JSONError) -> Claim {
        guard depth < Self.depthMax else { throw .tooDeep }
        guard self.valuesLeft > 0 else { throw .tooManyValues }
        self.valuesLeft -= 1
        self.skipSpace()
        switch self.next {
        case UInt8(ascii: "{"): return .map(try self.members(depth: depth))
        case UInt8(ascii: "["): return .list(try self.elements(depth: depth))
        case UInt8(ascii: "\""): return .text(try self.string())
        case UInt8(ascii: "t"): return try self.word("true", .bool(true))
        case UInt8(ascii: "f"): return try self.word("false", .bool(false))
        case UInt8(ascii: "n"): return try self.word("null", .null)
        default: return try self.number()
        }
    }

    private mutating func word(_ word: StaticString, _ value: Claim) throws(JSONError) -> Claim {
        let end = self.position + word.utf8CodeUnitCount
        guard end <= self.bytes.count else { throw .malformed }
        let same = word.withUTF8Buffer { $0.elementsEqual(self.bytes[self.position..<end]) }
        guard same else { throw .malformed }
        self.position = end
        return value
    }

    private mutating func members(depth: Int) throws(JSONError) -> [ClaimName: Claim] {
        self.position += 1
        var members: [ClaimName: Claim] = [:]
        self.skipSpace()
        if self.take(UInt8(ascii: "}")) { return members }
        while true {
            self.skipSpace()
            guard self.next == UInt8(ascii: "\"") else { throw .malformed }
            let name = try self.string()
            self.skipSpace()
            guard self.take(UInt8(ascii: ":")) else { throw .malformed }
            let value = try self.value(depth: depth + 1)
            guard members.updateValue(value, forKey: ClaimName(name)) == nil else { throw .duplicateMember }
            self.skipSpace()
            if self.take(UInt8(ascii: "}")) { return members }
            guard self.take(UInt8(ascii: ",")) else { throw .malformed }
        }
    }

    private mutating func elements(depth: Int) throws(JSONError) -> [Claim] {
        self.position += 1
        var elements: [Claim] = []
        self.skipSpace()
        if self.take(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try self.value(depth: depth + 1))
            self.skipSpace()
            if self.take(UInt8(ascii: "]")) { return elements }
            guard self.take(UInt8(ascii: ",")) else { throw .malformed }
        }
    }

    private mutating func string() throws(JSONError) -> String {
        self.position += 1
        var text: [UInt8] = []
        while let byte = self.next {
            self.position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw .malformed }
                return string
            case UInt8(ascii: "\\"): text.append(contentsOf: String(try self.escape()).utf8)
            case 0..<0x20: throw .malformed
            default: text.append(byte)
            }
        }
        throw .malformed
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        guard let byte = self.next else { throw .malformed }
        self.position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let first = try self.hexadecimal()
            if let scalar = Unicode.Scalar(first) { return scalar }
            // The first half of a pair, or nothing that Unicode has.
            guard first < 0xdc00, self.take(UInt8(ascii: "\\")), self.take(UInt8(ascii: "u")) else { throw .malformed }
            let second = try self.hexadecimal()
            guard (0xdc00...0xdfff).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
            else { throw .malformed }
            return scalar
        default: throw .malformed
        }
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        guard self.position + 4 <= self.bytes.count else { throw .malformed }
        var value: UInt32 = 0
        for byte in self.bytes[self.position..<self.position + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { throw .malformed }
            value = value << 4 | UInt32(digit)
        }
        self.position += 4
        return value
    }

    private mutating func digits() throws(JSONError) {
        let start = self.position
        while let byte = self.next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { self.position += 1 }
        guard self.position > start else { throw .malformed }
    }

    private mutating func number() throws(JSONError) -> Claim {
        let start = self.position
        var whole = true
        _ = self.take(UInt8(ascii: "-"))
        if !self.take(UInt8(ascii: "0")) { try self.digits() }
        if self.take(UInt8(ascii: ".")) {
            whole = false
            try self.digits()
        }
        if self.take(UInt8(ascii: "e")) || self.take(UInt8(ascii: "E")) {
            whole = false
            if !self.take(UInt8(ascii: "+")) { _ = self.take(UInt8(ascii: "-")) }
            try self.digits()
        }
        let text = String(decoding: self.bytes[start..<self.position], as: UTF8.self)
        if whole, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw .malformed }
        return .number(number)
    }
}
