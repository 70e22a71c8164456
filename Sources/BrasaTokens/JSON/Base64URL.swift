/// Base64 as tokens have it (RFC 4648, section 5, without padding). Bytes have one spelling, and no other is read: what
/// differs in text differs in meaning.
enum Base64URL {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(Self.digits[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(Self.digits[Int(bits << UInt32(6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for any other digit, a length that no bytes have, and bits left over.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for digit in text {
            let value = Self.values[Int(digit)]
            guard value < 64 else { return nil }
            bits = (bits << 6 | UInt32(value)) & 0xffff
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        guard count < 6, bits & ((1 << UInt32(count)) - 1) == 0 else { return nil }
        return bytes
    }
}
