/// A document's fields as the entries of a Document message's field 2, in canonical form: entries and nested map
/// entries sorted by key bytes with each key once, no unknown protobuf fields, timestamps in whole microseconds, one
/// NaN, shortest varints, default members left out. So equal fields are equal bytes, and the bytes go into a response
/// as they are.
package struct EncodedFields: Hashable, Sendable {
    package let bytes: ByteString

    package static let empty = EncodedFields(canonical: ByteString([]))

    /// For bytes that an `EncodedFields` gave out before, from the log for example. Accessors stay within bounds on any
    /// bytes, but answer nonsense when these are not canonical.
    package init(canonical bytes: ByteString) {
        self.bytes = bytes
    }

    package var isEmpty: Bool { self.bytes.isEmpty }

    package static func == (left: EncodedFields, right: EncodedFields) -> Bool {
        ByteOrder.equal(left.bytes, right.bytes)
    }

    package func hash(into hasher: inout Hasher) {
        self.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
