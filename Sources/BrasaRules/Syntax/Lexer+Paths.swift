import BrasaBytes

extension Lexer {
    /// Whether a slash before this byte begins a path; before any other it divides.
    static func beginsSegment(_ byte: UInt8) -> Bool {
        self.isSegment(byte) || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "(")
    }

    static func isSegment(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "+"), UInt8(ascii: "~"), UInt8(ascii: "@"), UInt8(ascii: ":"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "%"):
            true
        default: false
        }
    }

    /// The literal segment that begins here, still percent-encoded; empty, with nothing read, when none does.
    mutating func segment(_ diagnostics: inout DiagnosticList) -> SourceRange {
        let start = self.position
        var index = start
        if self.byte(at: index) == UInt8(ascii: "(") {
            index += 1
            while let byte = self.byte(at: index), Self.isSegment(byte) || byte == UInt8(ascii: "$") { index += 1 }
            guard index > start + 1, self.byte(at: index) == UInt8(ascii: ")") else { return SourceRange(start, start) }
            index += 1
        } else {
            while let byte = self.byte(at: index), Self.isSegment(byte) { index += 1 }
        }
        self.position = index
        let range = SourceRange(start, index)
        if PercentEncoding.decode(self.bytes[start..<index]) == nil {
            self.error("token recognition error at: '%'", at: range, &diagnostics)
        }
        return range
    }
}
