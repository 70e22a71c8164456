import BrasaBytes

/// Valid UTF-8, equal by its bytes: Swift's `String` compares by canonical equivalence, which would merge keys and
/// values that the protocol keeps apart. Ordered by UTF-16 code units, as JavaScript orders strings.
package struct TreeText: Hashable, Comparable, Sendable {
    package let utf8: [UInt8]

    package init(_ text: some StringProtocol) {
        self.utf8 = Array(text.utf8)
    }

    /// Nil when the bytes are not valid UTF-8.
    package init?(validating bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.withUnsafeBytes(UTF8Validation.isValid) else { return nil }
        self.utf8 = bytes
    }

    /// For bytes that were checked where they came in.
    init(checked bytes: UnsafeBufferPointer<UInt8>) {
        self.utf8 = Array(bytes)
    }

    init(checked bytes: [UInt8]) {
        self.utf8 = bytes
    }

    package var string: String { String(decoding: self.utf8, as: UTF8.self) }

    package static func == (left: TreeText, right: TreeText) -> Bool { left.utf8 == right.utf8 }

    package static func < (left: TreeText, right: TreeText) -> Bool { self.compare(left, right) < 0 }

    static func compare(_ left: TreeText, _ right: TreeText) -> Int {
        left.utf8.withUnsafeBufferPointer { left in
            right.utf8.withUnsafeBufferPointer { CodeUnitOrder.compare(left, $0) }
        }
    }

    package func hash(into hasher: inout Hasher) {
        self.utf8.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension TreeText: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral value: String) {
        self.init(value)
    }

    package var description: String { self.string }
}
