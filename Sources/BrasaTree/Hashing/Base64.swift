/// Base64 with padding (RFC 4648), as hashes are written.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var word: UInt32 = 0
            for offset in 0..<3 { word = word << 8 | (offset < count ? UInt32(bytes[index + offset]) : 0) }
            for digit in 0..<4 {
                text.append(
                    digit <= count ? self.alphabet[Int(word >> UInt32(18 - 6 * digit)) & 63] : UInt8(ascii: "=")
                )
            }
            index += 3
        }
        return text
    }
}
