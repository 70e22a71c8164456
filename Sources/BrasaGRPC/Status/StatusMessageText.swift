internal import BrasaBytes

/// The escaping of `grpc-message`: as little as the protocol allows. Clients decode with URI decoders that leave the
/// reserved characters' escapes alone, so `?`, `#`, `&`, `=` and space must travel as themselves.
enum StatusMessageText {
    /// Past this clients refuse the trailers, and with them the status; what a message has beyond it is cut off.
    static let encodedBytesMax = 7 << 10

    static func encode(_ message: String) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(min(message.utf8.count, Self.encodedBytesMax))
        for byte in message.utf8 {
            guard encoded.count + 3 <= Self.encodedBytesMax else { break }
            if self.isLiteral(byte) { encoded.append(byte) } else { PercentEncoding.append(byte, to: &encoded) }
        }
        return encoded
    }

    /// Never fails: a `%` that starts no escape stands for itself, and invalid UTF-8 is repaired.
    static func decode(_ encoded: some Collection<UInt8>) -> String {
        String(decoding: PercentEncoding.decode(encoded, incomplete: .standsForItself) ?? [], as: UTF8.self)
    }

    private static func isLiteral(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "%")
    }
}
