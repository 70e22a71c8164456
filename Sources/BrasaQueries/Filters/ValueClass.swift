package import BrasaDocuments

/// The classes of values that range comparisons keep apart: a bound of one class never matches a value of another. In
/// their order; the raw value is the first byte of such a value's order-preserving key.
package enum ValueClass: UInt8, Hashable, Sendable, CaseIterable {
    case null = 0x05
    case boolean = 0x0A
    case nan = 0x0D
    case number = 0x0F
    case timestamp = 0x14
    /// In a client's memory only.
    case pendingTimestamp = 0x17
    case string = 0x19
    case bytes = 0x1E
    case reference = 0x25
    case geoPoint = 0x2D
    case array = 0x32
    case vector = 0x35
    case map = 0x37

    package init(of value: Value) {
        self.init(tag: value.tag)
    }

    /// Every tag is one of these.
    init(tag: UInt8) {
        self = Self(rawValue: tag) ?? .null
    }

    /// Null and NaN, which comparisons by operators never match.
    package var isIncomparable: Bool { self == .null || self == .nan }
}
