internal import BrasaDocuments

/// Text measured, ordered and cut in UTF-16 code units, as rules do.
enum UTF16Text {
    static func count(_ text: RuleText, _ work: inout Work) throws(EvaluationError) -> Int {
        let bytes = try text.all(.block, &work)
        return bytes.withUnsafeBytes { self.count($0) }
    }

    /// Every byte that begins a code point is a unit, and one that begins four bytes is two. Eight bytes at a time: the
    /// high bits of each byte are moved to its lowest one and counted.
    private static func count(_ bytes: UnsafeRawBufferPointer) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var (units, index) = (0, 0)
        while index &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let trailing = (word >> 7) & ~(word >> 6) & ones
            let fours = (word >> 7) & (word >> 6) & (word >> 5) & (word >> 4) & ones
            units &+= 8 &- trailing.nonzeroBitCount &+ fours.nonzeroBitCount
            index &+= 8
        }
        while index < bytes.count {
            units &+= self.units(of: bytes[index])
            index &+= 1
        }
        return units
    }

    /// The units that a code point has, counted at its first byte.
    private static func units(of byte: UInt8) -> Int {
        byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1
    }

    /// Differs from the order of bytes only between code points above and below the surrogates.
    static func compare(
        _ left: RuleText,
        _ right: RuleText,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleValue.Comparison {
        let (left, right) = (left.bytes, right.bytes)
        let mismatch = try RuleBytes.firstMismatch(left, right, &work)
        guard mismatch < left.count, mismatch < right.count else {
            return left.count < right.count ? .less : left.count == right.count ? .same : .greater
        }
        let (one, other) = (left.byte(mismatch), right.byte(mismatch))
        // Both lead bytes or both trailing ones; a lead byte of four begins with a high surrogate, below U+E000.
        switch (one >= 0xF0, other >= 0xF0) {
        case (true, false): return other >= 0xEE ? .less : .greater
        case (false, true): return one >= 0xEE ? .greater : .less
        default: return one < other ? .less : .greater
        }
    }

    /// The units `range`, which are there, of a text that has `count`. Half a surrogate pair becomes a replacement
    /// character.
    static func slice(
        _ text: RuleText,
        _ range: Range<Int>,
        of count: Int,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleText {
        if count == text.bytes.count {
            return RuleText(validated: text.bytes.part(range))
        }
        let bytes = try text.all(.coded, &work)
        let units = Array(String(decoding: bytes, as: UTF8.self).utf16)[range]
        return RuleText(UTF8Text(String(decoding: units, as: UTF16.self)))
    }
}
