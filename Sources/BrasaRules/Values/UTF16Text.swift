internal import BrasaDocuments

/// Text measured, ordered and cut in UTF-16 code units, as rules do.
enum UTF16Text {
    static func count(_ text: UTF8Text) -> Int {
        text.bytes.reduce(0) { $0 + self.units(of: $1) }
    }

    /// The units that a code point has, counted at its first byte.
    private static func units(of byte: UInt8) -> Int {
        byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1
    }

    /// Differs from the order of bytes only between code points above and below the surrogates.
    static func compare(_ left: UTF8Text, _ right: UTF8Text) -> RuleValue.Comparison {
        let mismatch = left.bytes.withUnsafeBytes { left in
            right.bytes.withUnsafeBytes { ByteOrder.firstMismatch(left, $0) }
        }
        guard mismatch < left.bytes.count, mismatch < right.bytes.count else {
            return left.bytes.count < right.bytes.count
                ? .less : left.bytes.count == right.bytes.count ? .same : .greater
        }
        let (one, other) = (left.bytes[mismatch], right.bytes[mismatch])
        // Both lead bytes or both trailing ones; a lead byte of four begins with a high surrogate, below U+E000.
        switch (one >= 0xF0, other >= 0xF0) {
        case (true, false): return other >= 0xEE ? .less : .greater
        case (false, true): return one >= 0xEE ? .greater : .less
        default: return one < other ? .less : .greater
        }
    }

    /// The units `range`, which are there. Half a surrogate pair becomes a replacement character.
    static func slice(_ text: UTF8Text, _ range: Range<Int>) -> UTF8Text {
        if text.bytes.allSatisfy({ $0 < 0x80 }) {
            return UTF8Text(validating: text.bytes[range]) ?? ""
        }
        let units = Array(text.string.utf16)[range]
        return UTF8Text(String(decoding: units, as: UTF16.self))
    }
}
