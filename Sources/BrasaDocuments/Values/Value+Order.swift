extension Value: Hashable {
    /// The total order over all values (equal numbers of both kinds are the same).
    package static func compare(_ left: Value, _ right: Value) -> Ordering {
        switch (left, right) {
        case (.null, .null): .same
        case (.boolean(let left), .boolean(let right)): Ordering(left ? 1 : 0, right ? 1 : 0)
        case (.integer(let left), .integer(let right)): Ordering(left, right)
        case (.integer(let left), .double(let right)): NumberOrder.compare(left, right)
        case (.double(let left), .integer(let right)): NumberOrder.compare(right, left).reversed
        case (.double(let left), .double(let right)): NumberOrder.compare(left, right)
        case (.timestamp(let left), .timestamp(let right)): Ordering(left, right)
        case (.string(let left), .string(let right)): ByteOrder.compare(left.bytes, right.bytes)
        case (.bytes(let left), .bytes(let right)): ByteOrder.compare(left, right)
        case (.reference(let left), .reference(let right)): DocumentName.compare(left, right)
        case (.geoPoint(let left, let leftLongitude), .geoPoint(let right, let rightLongitude)):
            left == right ? NumberOrder.compare(leftLongitude, rightLongitude) : NumberOrder.compare(left, right)
        case (.array(let left), .array(let right)): self.compare(left[...], right[...])
        case (.map(let left), .map(let right)): self.compareMaps(left, right)
        default: Ordering(left.rank, right.rank)
        }
    }

    private static func compare(_ left: ArraySlice<Value>, _ right: ArraySlice<Value>) -> Ordering {
        for (left, right) in zip(left, right) {
            let order = self.compare(left, right)
            if order != .same { return order }
        }
        return Ordering(left.count, right.count)
    }

    private static func compareMaps(_ left: [MapEntry], _ right: [MapEntry]) -> Ordering {
        switch (PendingTimestamp(entries: left), PendingTimestamp(entries: right)) {
        case (let left?, let right?): return Ordering(left.localWriteTime, right.localWriteTime)
        case (_?, nil): return .ascending
        case (nil, _?): return .descending
        case (nil, nil): break
        }
        switch (self.vectorComponents(of: left), self.vectorComponents(of: right)) {
        case (let left?, let right?):
            if left.count != right.count { return Ordering(left.count, right.count) }
            for (left, right) in zip(left, right) {
                let order = NumberOrder.compare(left, right)
                if order != .same { return order }
            }
            return .same
        case (_?, nil): return .ascending
        case (nil, _?): return .descending
        case (nil, nil): break
        }
        for (left, right) in zip(left, right) {
            let key = ByteOrder.compare(left.key.bytes, right.key.bytes)
            if key != .same { return key }
            let value = self.compare(left.value, right.value)
            if value != .same { return value }
        }
        return Ordering(left.count, right.count)
    }

    /// The place of the value's class among the classes.
    private var rank: Int {
        switch self {
        case .null: 0
        case .boolean: 1
        case .integer, .double: 2
        case .timestamp: 3
        case .map(let entries) where PendingTimestamp(entries: entries) != nil: 4
        case .string: 5
        case .bytes: 6
        case .reference: 7
        case .geoPoint: 8
        case .array: 9
        case .map: 10
        }
    }

    /// Equality of the total order: 3 and 3.0 are equal, and so are all NaNs. For strict equality compare encodings.
    package static func == (left: Value, right: Value) -> Bool {
        self.compare(left, right) == .same
    }

    package func hash(into hasher: inout Hasher) {
        OrderPreservingKey(self).bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension Value: Comparable {
    package static func < (left: Value, right: Value) -> Bool {
        self.compare(left, right) == .ascending
    }
}

extension Value {
    private static let vectorTypeKey: UTF8Text = "__type__"
    private static let vectorValueKey: UTF8Text = "value"

    package static func vector(_ components: [Double]) -> Value {
        .map([
            MapEntry(key: self.vectorTypeKey, value: .string("__vector__")),
            MapEntry(key: self.vectorValueKey, value: .array(components.map { .double($0) })),
        ])
    }

    /// A vector's components; nil for every other value.
    package var vectorComponents: [Double]? {
        if case .map(let entries) = self { Self.vectorComponents(of: entries) } else { nil }
    }

    /// No other map may have the key `__type__`.
    static func vectorComponents(of entries: [MapEntry]) -> [Double]? {
        guard entries.count == 2, entries[0].key == self.vectorTypeKey, entries[1].key == self.vectorValueKey,
            case .array(let elements) = entries[1].value
        else { return nil }
        var components: [Double] = []
        components.reserveCapacity(elements.count)
        for element in elements {
            switch element {
            case .double(let double): components.append(double)
            case .integer(let integer): components.append(Double(integer))
            default: return nil
            }
        }
        return components
    }
}
