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
            while let byte = self.byte(at: index), Self.isSegment(byte) { index += 1 }
            guard index > start + 1, self.byte(at: index) == UInt8(ascii: ")") else { return SourceRange(start, start) }
            index += 1
        } else {
            while let byte = self.byte(at: index), Self.isSegment(byte) { index += 1 }
        }
        self.position = index
        let range = SourceRange(start, index)
        if PercentCoding.decoded(self.bytes[start..<index], plusIsSpace: false) == nil {
            self.error("token recognition error at: '%'", at: range, &diagnostics)
        }
        return range
    }
}

/// Percent-encoded text of paths.
enum PercentCoding {
    /// Nil when a percent sign has no two digits behind it or the result is not UTF-8.
    static func decoded(_ text: some Collection<UInt8>, plusIsSpace: Bool) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(Lexer.digit), let low = rest.popFirst().flatMap(Lexer.digit)
                else { return nil }
                decoded.append(UInt8(truncatingIfNeeded: high << 4 | low))
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
            default: decoded.append(byte)
            }
        }
        return decoded
    }
}
