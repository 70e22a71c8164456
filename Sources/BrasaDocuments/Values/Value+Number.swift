/// Numbers of both kinds, compared exactly: no integer is rounded to a double.
enum NumberOrder {
    static func compare(_ left: Int64, _ right: Double) -> Ordering {
        if right.isNaN { return .descending }
        if right < -0x1p63 { return .descending }
        if right >= 0x1p63 { return .ascending }
        let whole = Int64(right)
        if left != whole { return Ordering(left, whole) }
        return Ordering(Double(whole), right)
    }

    /// NaN is equal to itself and less than all others.
    static func compare(_ left: Double, _ right: Double) -> Ordering {
        if left.isNaN || right.isNaN {
            return left.isNaN ? (right.isNaN ? .same : .ascending) : .descending
        }
        return Ordering(left, right)
    }
}

extension Value {
    package var isNumber: Bool {
        switch self {
        case .integer, .double: true
        default: false
        }
    }

    package var isNaN: Bool {
        if case .double(let double) = self { double.isNaN } else { false }
    }

    /// The sum as an increment makes it: integers saturate, a double makes a double. Nil unless both are numbers.
    static func sum(_ left: Value, _ right: Value) -> Value? {
        switch (left, right) {
        case (.integer(let left), .integer(let right)):
            let (sum, overflow) = left.addingReportingOverflow(right)
            return .integer(overflow ? (left < 0 ? .min : .max) : sum)
        case (.integer(let left), .double(let right)): return .double(Double(left) + right)
        case (.double(let left), .integer(let right)): return .double(left + Double(right))
        case (.double(let left), .double(let right)): return .double(left + right)
        default: return nil
        }
    }
}
