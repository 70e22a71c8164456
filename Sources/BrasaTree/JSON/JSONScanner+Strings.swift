import BrasaBytes

extension JSONScanner {
    /// From inside a string to its end, to an escape, or to the end of the piece.
    mutating func readString(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) throws(TreeError) {
        let start = index
        var seen: UInt8 = 0
        var end = index
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
            seen |= byte
            end &+= 1
        }
        if end > start { try self.appendRun(UnsafeBufferPointer(rebasing: bytes[start..<end]), isASCII: seen < 0x80) }
        index = end
        guard end < bytes.count else { return }
        switch bytes[end] {
        case UInt8(ascii: "\\"): self.state = .escape
        case UInt8(ascii: "\""):
            self.flushSurrogate()
            try self.checkLength()
            try self.endString()
        default: throw self.error(.controlCharacter, at: end)
        }
        index += 1
    }

    private mutating func appendRun(_ run: UnsafeBufferPointer<UInt8>, isASCII: Bool) throws(TreeError) {
        self.flushSurrogate()
        self.token.append(contentsOf: run)
        if !isASCII { self.tokenIsASCII = false }
        try self.checkLength()
    }

    /// After whatever makes the token longer.
    private func checkLength() throws(TreeError) {
        guard self.token.count <= self.limits.stringBytesMax else {
            throw TreeError(.stringTooLong(bytesMax: self.limits.stringBytesMax), at: self.sink.path)
        }
    }

    private mutating func endString() throws(TreeError) {
        let isValid = self.tokenIsASCII || self.token.withUnsafeBytes(UTF8Validation.isValid)
        guard isValid else { throw TreeError(.json(.invalidUTF8, offset: self.tokenStart), at: self.sink.path) }
        let isKey = self.tokenIsKey
        // The token's memory goes out on loan, so that the sink may be changed meanwhile, and comes back.
        let token = self.token
        self.token = []
        try token.withUnsafeBufferPointer { text throws(TreeError) in
            if isKey { try self.sink.key(text) } else { try self.sink.string(text) }
        }
        self.token = token
        if isKey { self.state = .colon } else { self.endValue() }
    }

    mutating func readEscape(_ byte: UInt8, at position: Int, _ index: inout Int) throws(TreeError) {
        index += 1
        guard case .unicode(let missing) = self.state else {
            try self.readEscaped(byte, at: position)
            return
        }
        guard let digit = Self.hexadecimal(byte) else { throw self.error(.invalidEscape, at: position) }
        self.unit = self.unit << 4 | digit
        guard missing == 1 else {
            self.state = .unicode(missing: missing - 1)
            return
        }
        self.state = .string
        try self.appendUnit(self.unit)
    }

    private mutating func readEscaped(_ byte: UInt8, at position: Int) throws(TreeError) {
        let character: UInt8
        switch byte {
        case UInt8(ascii: "u"):
            self.unit = 0
            self.state = .unicode(missing: 4)
            return
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): character = byte
        case UInt8(ascii: "b"): character = 0x08
        case UInt8(ascii: "f"): character = 0x0C
        case UInt8(ascii: "n"): character = 0x0A
        case UInt8(ascii: "r"): character = 0x0D
        case UInt8(ascii: "t"): character = 0x09
        default: throw self.error(.invalidEscape, at: position)
        }
        self.state = .string
        self.flushSurrogate()
        self.token.append(character)
        try self.checkLength()
    }

    private mutating func appendUnit(_ unit: UInt32) throws(TreeError) {
        if let high = self.highSurrogate, (0xDC00..<0xE000).contains(unit) {
            self.highSurrogate = nil
            self.appendScalar(0x10000 + (high - 0xD800) << 10 + (unit - 0xDC00))
        } else {
            self.flushSurrogate()
            if (0xD800..<0xDC00).contains(unit) { self.highSurrogate = unit } else { self.appendScalar(unit) }
        }
        try self.checkLength()
    }

    /// A first half without a second one.
    private mutating func flushSurrogate() {
        guard self.highSurrogate != nil else { return }
        self.highSurrogate = nil
        self.appendScalar(0xFFFD)
    }

    private mutating func appendScalar(_ value: UInt32) {
        let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
        if !scalar.isASCII { self.tokenIsASCII = false }
        self.token.append(contentsOf: String(scalar).utf8)
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
