/// What a leaf holds. A number that an `Int64` holds exactly is an `integer`, whatever it was written as, so that 1 and
/// 1.0 are one value; minus zero is zero. Integers keep all 64 bits; hashes and comparisons see numbers as doubles.
package enum TreeScalar: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case string(TreeText)

    /// Nil for what is no number of the tree: NaN and the infinities.
    package static func number(_ value: Double) -> TreeScalar? {
        guard value.isFinite else { return nil }
        // 2^63 is the first double that no Int64 holds.
        if value >= -0x1p63, value < 0x1p63, let integer = Int64(exactly: value) { return .integer(integer) }
        return .double(value)
    }

    /// Nil for what is no number.
    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .boolean, .string: nil
        }
    }

    /// What it counts for in `TreeNode.estimate`.
    var estimate: Int {
        switch self {
        case .boolean: 4
        case .integer, .double: 8
        case .string(let text): 2 + text.utf8.count
        }
    }
}

extension TreeScalar: Comparable {
    /// Booleans, numbers, strings. Two integers that are one double are neither before the other.
    package static func < (left: TreeScalar, right: TreeScalar) -> Bool { self.compare(left, right) < 0 }

    static func compare(_ left: TreeScalar, _ right: TreeScalar) -> Int {
        switch (left, right) {
        case (.boolean(let left), .boolean(let right)): return (left ? 1 : 0) - (right ? 1 : 0)
        case (.string(let left), .string(let right)): return TreeText.compare(left, right)
        default:
            if let left = left.number, let right = right.number { return left < right ? -1 : (left > right ? 1 : 0) }
            return left.rank - right.rank
        }
    }

    private var rank: Int {
        switch self {
        case .boolean: 0
        case .integer, .double: 1
        case .string: 2
        }
    }
}
