import BrasaBytes
internal import BrasaDocuments

extension Lexer {
    /// `0`, or digits that do not begin with one; with a point, a float. There is no exponent.
    mutating func number(_ diagnostics: inout DiagnosticList) -> Token {
        let start = self.position
        self.skipDigits()
        let whole = self.position
        if self.byte(at: whole) == UInt8(ascii: ".") {
            self.position += 1
            self.skipDigits()
            let range = SourceRange(start, self.position)
            return Token(kind: .float(Double("0\(self.text(range))0") ?? .infinity), range: range)
        }
        // A leading zero is a number of its own.
        if self.bytes[start] == UInt8(ascii: "0") { self.position = start + 1 }
        let range = SourceRange(start, self.position)
        guard let magnitude = UInt64(self.text(range)), magnitude <= 1 << 63 else {
            self.error("Invalid number literal \(self.text(range)).", at: range, &diagnostics)
            return Token(kind: .integer(0), range: range)
        }
        return Token(kind: .integer(magnitude), range: range)
    }

    private mutating func skipDigits() {
        while let byte = self.byte(at: self.position), Self.isDigit(byte) { self.position += 1 }
    }

    mutating func stringLiteral(_ diagnostics: inout DiagnosticList) -> Token {
        let start = self.position
        guard let content = self.quoted(isBytes: false, &diagnostics) else {
            return Token(kind: .string(""), range: SourceRange(start, self.position))
        }
        return Token(kind: .string(UTF8Text(validating: content) ?? ""), range: SourceRange(start, self.position))
    }

    mutating func bytesLiteral(_ diagnostics: inout DiagnosticList) -> Token {
        let start = self.position
        self.position += 1
        let content = self.quoted(isBytes: true, &diagnostics) ?? []
        return Token(kind: .bytes(content), range: SourceRange(start, self.position))
    }

    /// Reads to the closing quote of the same line. Nil, and an error told, when what was read is no literal.
    private mutating func quoted(isBytes: Bool, _ diagnostics: inout DiagnosticList) -> [UInt8]? {
        let start = self.position
        let quote = self.bytes[start]
        var content: [UInt8] = []
        var isValid = true
        self.position += 1
        while let byte = self.byte(at: self.position), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
            if byte == quote {
                self.position += 1
                return isValid ? content : nil
            }
            guard byte == UInt8(ascii: "\\") else {
                content.append(byte)
                self.position += 1
                continue
            }
            let escape = self.position
            if !self.escape(isBytes: isBytes, into: &content) {
                let range = SourceRange(escape, self.position)
                let text = self.text(range)
                self.error(
                    isBytes ? "Invalid bytes literal \(text)." : "token recognition error at: '\(text)'",
                    at: range,
                    &diagnostics
                )
                isValid = false
            }
        }
        let mark = quote == UInt8(ascii: "'") ? "'" : "\""
        self.error("Missing a closing \(mark)", at: SourceRange(start, start + 1), &diagnostics)
        return nil
    }

    /// Reads an escape; false when it is none, with the backslash and one character read.
    private mutating func escape(isBytes: Bool, into content: inout [UInt8]) -> Bool {
        let start = self.position
        self.position += 1
        guard let byte = self.byte(at: self.position) else { return false }
        self.position += 1
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): content.append(byte)
        case UInt8(ascii: "b"): content.append(8)
        case UInt8(ascii: "f"): content.append(12)
        case UInt8(ascii: "n"): content.append(10)
        case UInt8(ascii: "r"): content.append(13)
        case UInt8(ascii: "t"): content.append(9)
        case UInt8(ascii: "x"):
            guard let code = self.digits(2, radix: 16) else { return false }
            self.append(code, isByte: isBytes, to: &content)
        case UInt8(ascii: "u") where !isBytes:
            guard let code = self.digits(4, radix: 16) else { return false }
            return self.appendUTF16(code, to: &content)
        case UInt8(ascii: "0")...UInt8(ascii: "3"):
            self.position = start + 1
            guard let code = self.digits(3, radix: 8) else {
                self.position = start + 2
                return false
            }
            self.append(code, isByte: isBytes, to: &content)
        default:
            while let byte = self.byte(at: self.position), byte & 0xC0 == 0x80 { self.position += 1 }
            return false
        }
        return true
    }

    private func append(_ code: UInt32, isByte: Bool, to content: inout [UInt8]) {
        if isByte {
            content.append(UInt8(truncatingIfNeeded: code))
        } else if let scalar = Unicode.Scalar(code) {
            content.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
        }
    }

    /// A high surrogate needs the low one in the escape behind it.
    private mutating func appendUTF16(_ code: UInt32, to content: inout [UInt8]) -> Bool {
        if Unicode.Scalar(code) != nil {
            self.append(code, isByte: false, to: &content)
            return true
        }
        let start = self.position
        guard code < 0xDC00, self.byte(at: start) == UInt8(ascii: "\\"), self.byte(at: start + 1) == UInt8(ascii: "u")
        else { return false }
        self.position += 2
        guard let low = self.digits(4, radix: 16), (0xDC00...0xDFFF).contains(low) else {
            self.position = start
            return false
        }
        self.append(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), isByte: false, to: &content)
        return true
    }

    private mutating func digits(_ count: Int, radix: UInt32) -> UInt32? {
        guard self.position + count <= self.bytes.count else { return nil }
        var number: UInt32 = 0
        for byte in self.bytes[self.position..<(self.position + count)] {
            guard let digit = Hexadecimal.value(byte).map(UInt32.init), digit < radix else { return nil }
            number = number * radix + digit
        }
        self.position += count
        return number
    }
}
