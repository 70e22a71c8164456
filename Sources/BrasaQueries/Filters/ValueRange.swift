package import BrasaDocuments

/// The values of one class between two bounds, of which there is at least one.
package struct ValueRange: Hashable, Sendable {
    package struct Bound: Hashable, Sendable {
        package let value: Value
        package let isInclusive: Bool

        package init(_ value: Value, isInclusive: Bool) {
            self.value = value
            self.isInclusive = isInclusive
        }
    }

    package let valueClass: ValueClass
    package private(set) var lower: Bound?
    package private(set) var upper: Bound?

    package init(from lower: Bound) {
        self.valueClass = ValueClass(of: lower.value)
        self.lower = lower
    }

    package init(to upper: Bound) {
        self.valueClass = ValueClass(of: upper.value)
        self.upper = upper
    }

    package func contains(_ value: Value) -> Bool {
        self.contains(candidate: value)
    }

    func contains(candidate value: some MatchCandidate) -> Bool {
        guard value.tag == self.valueClass.rawValue else { return false }
        if let lower = self.lower {
            let order = value.compare(to: lower.value)
            if order == .ascending || order == .same && !lower.isInclusive { return false }
        }
        if let upper = self.upper {
            let order = value.compare(to: upper.value)
            if order == .descending || order == .same && !upper.isInclusive { return false }
        }
        return true
    }

    /// Where the range begins among the order-preserving keys of all values.
    package var start: KeyBound {
        guard let lower = self.lower else { return KeyBound(prefix: [self.valueClass.rawValue], isAfter: false) }
        return KeyBound(prefix: OrderPreservingKey(lower.value).bytes, isAfter: !lower.isInclusive)
    }

    /// Where it ends.
    package var end: KeyBound {
        guard let upper = self.upper else { return KeyBound(prefix: [self.valueClass.rawValue], isAfter: true) }
        return KeyBound(prefix: OrderPreservingKey(upper.value).bytes, isAfter: upper.isInclusive)
    }

    /// What both ranges contain; nil when that is nothing.
    package func intersection(_ other: ValueRange) -> ValueRange? {
        guard self.valueClass == other.valueClass else { return nil }
        var range = self
        if let lower = other.lower, self.lower.map({ Self.isTighter(lower, than: $0, .descending) }) ?? true {
            range.lower = lower
        }
        if let upper = other.upper, self.upper.map({ Self.isTighter(upper, than: $0, .ascending) }) ?? true {
            range.upper = upper
        }
        return range.isEmpty ? nil : range
    }

    private var isEmpty: Bool {
        guard let lower = self.lower, let upper = self.upper else { return false }
        return switch Value.compare(lower.value, upper.value) {
        case .ascending: false
        case .same: !(lower.isInclusive && upper.isInclusive)
        case .descending: true
        }
    }

    private static func isTighter(_ bound: Bound, than other: Bound, _ order: Ordering) -> Bool {
        let compared = Value.compare(bound.value, other.value)
        return compared == order || compared == .same && !bound.isInclusive
    }
}
