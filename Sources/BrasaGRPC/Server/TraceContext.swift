/// Which trace a call belongs to: the field `traceparent` of W3C's Trace Context, version 00.
package struct TraceContext: Hashable, Sendable {
    private let trace: (high: UInt64, low: UInt64)
    private let span: UInt64
    package let isSampled: Bool

    /// Nil for what is malformed, which is as if there were none. Of later versions only what this one has is read.
    package init?(_ text: UnsafeRawBufferPointer) {
        guard text.count >= 55, text[2] == UInt8(ascii: "-"), text[35] == UInt8(ascii: "-"),
            text[52] == UInt8(ascii: "-"), let version = Self.number(text, 0..<2), version != 0xFF,
            text.count == 55 || (version > 0 && text[55] == UInt8(ascii: "-")),
            let high = Self.number(text, 3..<19), let low = Self.number(text, 19..<35), high != 0 || low != 0,
            let span = Self.number(text, 36..<52), span != 0, let flags = Self.number(text, 53..<55)
        else { return nil }
        self.trace = (high, low)
        self.span = span
        self.isSampled = flags & 1 == 1
    }

    private static func number(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) -> UInt64? {
        var number: UInt64 = 0
        for position in range {
            let digit: UInt8
            switch text[position] {
            case let byte where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            // Capitals are not allowed.
            case let byte where byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f"): digit = byte - 87
            default: return nil
            }
            number = number << 4 | UInt64(digit)
        }
        return number
    }

    package var traceID: String { Self.text(self.trace.high) + Self.text(self.trace.low) }
    package var spanID: String { Self.text(self.span) }

    private static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    package static func == (left: TraceContext, right: TraceContext) -> Bool {
        left.trace == right.trace && left.span == right.span && left.isSampled == right.isSampled
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.trace.high)
        hasher.combine(self.trace.low)
        hasher.combine(self.span)
    }
}
