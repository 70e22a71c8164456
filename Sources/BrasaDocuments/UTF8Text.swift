/// Valid UTF-8, compared byte by byte. Swift's `String` compares by canonical equivalence, which would merge documents
/// that the protocol keeps apart.
package struct UTF8Text: Hashable, Comparable, Sendable {
    package let bytes: [UInt8]

    /// Nil when the bytes are not valid UTF-8. NUL is a character like any other.
    package init?(validating bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        self.bytes = bytes
    }

    package init(_ string: some StringProtocol) {
        self.bytes = Array(string.utf8)
    }

    package var string: String { String(decoding: self.bytes, as: UTF8.self) }

    package static func < (left: UTF8Text, right: UTF8Text) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension UTF8Text: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral value: StaticString) {
        self.init("\(value)")
    }

    package var description: String { self.string }
}
