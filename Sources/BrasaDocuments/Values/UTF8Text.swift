import BrasaBytes

/// Valid UTF-8, compared byte by byte. Swift's `String` compares by canonical equivalence, which would merge documents
/// that the protocol keeps apart.
package struct UTF8Text: Hashable, Comparable, Sendable {
    package let bytes: [UInt8]

    /// Nil when the bytes are not valid UTF-8. NUL is a character like any other.
    package init?(validating bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.withUnsafeBytes(UTF8Validation.isValid) else { return nil }
        self.bytes = bytes
    }

    package init(_ string: some StringProtocol) {
        self.bytes = Array(string.utf8)
    }

    /// For bytes that were validated where they came in.
    init(validated bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var string: String { String(decoding: self.bytes, as: UTF8.self) }

    package func isEqual(to part: BytePart) -> Bool {
        self.bytes.withUnsafeBytes { own in part.withUnsafeBytes { ByteOrder.equal(own, $0) } }
    }

    package static func == (left: UTF8Text, right: UTF8Text) -> Bool {
        ByteOrder.equal(left.bytes, right.bytes)
    }

    package static func < (left: UTF8Text, right: UTF8Text) -> Bool {
        ByteOrder.compare(left.bytes, right.bytes) == .ascending
    }

    package func hash(into hasher: inout Hasher) {
        self.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension UTF8Text: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral value: StaticString) {
        self.init("\(value)")
    }

    package var description: String { self.string }
}
