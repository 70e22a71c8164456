/// Base64 in the standard alphabet, for `-bin` metadata: written without padding, read with or without.
enum Base64 {
    static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity((bytes.count * 4 + 2) / 3)
        var pending: UInt32 = 0
        var pendingBits: UInt32 = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            pendingBits += 8
            while pendingBits >= 6 {
                pendingBits -= 6
                encoded.append(self.digit(UInt8(truncatingIfNeeded: pending >> pendingBits) & 0x3F))
            }
        }
        if pendingBits > 0 {
            encoded.append(self.digit(UInt8(truncatingIfNeeded: pending << (6 - pendingBits)) & 0x3F))
        }
        return encoded
    }

    /// Nil for a foreign character, an impossible length, padding that does not fit, or bits left over that are not zero.
    static func decode(_ encoded: some Collection<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(encoded.count / 4 * 3 + 2)
        var pending: UInt32 = 0
        var pendingBits: UInt32 = 0
        var digits = 0
        var padding = 0
        for character in encoded {
            if character == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = self.value(character) else { return nil }
            digits += 1
            pending = pending << 6 | UInt32(value)
            pendingBits += 6
            if pendingBits >= 8 {
                pendingBits -= 8
                decoded.append(UInt8(truncatingIfNeeded: pending >> pendingBits))
            }
        }
        guard digits % 4 != 1, pending & ((1 << pendingBits) - 1) == 0 else { return nil }
        guard padding == 0 || (padding == (4 - digits % 4) % 4) else { return nil }
        return decoded
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
