/// A value in its canonical bytes, compared in place: scalars without decoding them.
package struct EncodedValue: Sendable {
    private let bytes: BytePart

    /// For bytes out of an `EncodedFields`.
    package init(canonical bytes: BytePart) {
        self.bytes = bytes
    }

    /// Null when the bytes are not canonical.
    package var decoded: Value { Value(canonical: self.bytes) ?? .null }

    /// The first byte of the value's order-preserving key: its class.
    package var tag: UInt8 {
        self.bytes.withUnsafeBytes { bytes in
            guard let member = Self.member(bytes) else { return OrderPreservingKey.Tag.null }
            return Self.tag(of: member, in: WireReader(bytes))
        }
    }

    /// The place in the total order of values.
    package func compare(to other: Value) -> Ordering {
        self.bytes.withUnsafeBytes { bytes -> Ordering? in
            Self.member(bytes).flatMap { Self.compare($0, in: WireReader(bytes), to: other) }
        } ?? Value.compare(self.decoded, other)
    }

    /// Whether the value is an array with an element of which the condition holds.
    package func hasElement(where holds: (EncodedValue) -> Bool) -> Bool {
        self.elementRanges.contains { holds(EncodedValue(canonical: self.bytes[$0])) }
    }

    /// The elements of an array as ranges of `bytes`; none for other values.
    private var elementRanges: [Range<Int>] {
        let start = self.bytes.startIndex
        return self.bytes.withUnsafeBytes { bytes in
            guard let member = Self.member(bytes), member.field == ValueField.array else { return [] }
            var ranges: [Range<Int>] = []
            var ignored = true
            var reader = WireReader(bytes).sub(member.payload)
            while let range = try? reader.nextElement(of: ValueField.element, isCanonical: &ignored) {
                ranges.append((start + range.lowerBound)..<(start + range.upperBound))
            }
            return ranges
        }
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        self.bytes.withUnsafeBytes(body)
    }

    private static func member(_ bytes: UnsafeRawBufferPointer) -> ValueMember? {
        var ignored = true
        var reader = WireReader(bytes)
        return try? reader.valueMember(isCanonical: &ignored)
    }

    private static func tag(of member: ValueMember, in memory: WireReader) -> UInt8 {
        switch member.field {
        case ValueField.boolean: OrderPreservingKey.Tag.boolean
        case ValueField.integer: OrderPreservingKey.Tag.number
        case ValueField.double:
            Double(bitPattern: member.bits).isNaN ? OrderPreservingKey.Tag.nan : OrderPreservingKey.Tag.number
        case ValueField.timestamp: OrderPreservingKey.Tag.timestamp
        case ValueField.string: OrderPreservingKey.Tag.string
        case ValueField.bytes: OrderPreservingKey.Tag.bytes
        case ValueField.reference: OrderPreservingKey.Tag.reference
        case ValueField.geoPoint: OrderPreservingKey.Tag.geoPoint
        case ValueField.array: OrderPreservingKey.Tag.array
        case ValueField.map:
            ReservedMap.isVector(member.payload, of: memory)
                ? ReservedMap.tag(ofOpaque: member.payload, of: memory) : OrderPreservingKey.Tag.map
        default: OrderPreservingKey.Tag.null
        }
    }

    /// Nil where only decoding tells.
    private static func compare(_ member: ValueMember, in memory: WireReader, to other: Value) -> Ordering? {
        switch (member.field, other) {
        case (ValueField.null, .null): return .same
        case (ValueField.boolean, .boolean(let other)): return Ordering(member.bits, other ? 1 : 0)
        case (ValueField.integer, .integer(let other)): return Ordering(Int64(bitPattern: member.bits), other)
        case (ValueField.integer, .double(let other)):
            return NumberOrder.compare(Int64(bitPattern: member.bits), other)
        case (ValueField.double, .integer(let other)):
            return NumberOrder.compare(other, Double(bitPattern: member.bits)).reversed
        case (ValueField.double, .double(let other)):
            return NumberOrder.compare(Double(bitPattern: member.bits), other)
        case (ValueField.timestamp, .timestamp(let other)):
            var ignored = true
            var reader = memory.sub(member.payload)
            return (try? reader.timestamp(isCanonical: &ignored)).map { Ordering($0, other) }
        case (ValueField.string, .string(let other)):
            return other.bytes.withUnsafeBytes { ByteOrder.compare(memory.slice(member.payload), $0) }
        case (ValueField.bytes, .bytes(let other)):
            return other.withUnsafeBytes { ByteOrder.compare(memory.slice(member.payload), $0) }
        default:
            let order = Ordering(self.tag(of: member, in: memory), other.tag)
            return order == .same ? nil : order
        }
    }
}

extension Value {
    /// The first byte of the value's order-preserving key: its class.
    package var tag: UInt8 {
        switch self {
        case .null: OrderPreservingKey.Tag.null
        case .boolean: OrderPreservingKey.Tag.boolean
        case .integer: OrderPreservingKey.Tag.number
        case .double(let double): double.isNaN ? OrderPreservingKey.Tag.nan : OrderPreservingKey.Tag.number
        case .timestamp: OrderPreservingKey.Tag.timestamp
        case .string: OrderPreservingKey.Tag.string
        case .bytes: OrderPreservingKey.Tag.bytes
        case .reference: OrderPreservingKey.Tag.reference
        case .geoPoint: OrderPreservingKey.Tag.geoPoint
        case .array: OrderPreservingKey.Tag.array
        case .map(let entries):
            if Self.vectorComponents(of: entries) != nil {
                OrderPreservingKey.Tag.vector
            } else if PendingTimestamp(entries: entries) != nil {
                OrderPreservingKey.Tag.pendingTimestamp
            } else {
                OrderPreservingKey.Tag.map
            }
        }
    }
}
