/// The escaping of `grpc-message`: as little as the protocol allows. Clients decode with URI decoders that leave the
/// reserved characters' escapes alone, so `?`, `#`, `&`, `=` and space must travel as themselves.
enum PercentEncoding {
    /// Past this clients refuse the trailers, and with them the status; what a message has beyond it is cut off.
    static let encodedBytesMax = 7 << 10

    static func encode(_ message: String) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(min(message.utf8.count, Self.encodedBytesMax))
        for byte in message.utf8 {
            guard encoded.count + 3 <= Self.encodedBytesMax else { break }
            if self.isLiteral(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(self.hexDigit(byte >> 4))
                encoded.append(self.hexDigit(byte & 0xF))
            }
        }
        return encoded
    }

    /// Never fails: a `%` that starts no escape stands for itself, and invalid UTF-8 is repaired.
    static func decode(_ encoded: some Sequence<UInt8>) -> String {
        let bytes = Array(encoded)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = self.hexValue(bytes[index + 1]), let low = self.hexValue(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func isLiteral(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "%")
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
