/// The outcome of comparing two things.
package enum Ordering: Hashable, Sendable {
    case ascending, same, descending

    package init<Compared: Comparable>(_ left: Compared, _ right: Compared) {
        self = left < right ? .ascending : left == right ? .same : .descending
    }

    package var reversed: Ordering {
        switch self {
        case .ascending: .descending
        case .same: .same
        case .descending: .ascending
        }
    }
}

/// Comparisons of byte runs eight bytes at a time, since the standard library compares arrays one element at a time.
package enum ByteOrder {
    /// The index of the first byte that differs, or the length of the shorter run.
    package static func firstMismatch(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let count = min(left.count, right.count)
        var index = 0
        while index &+ 8 <= count {
            let difference =
                left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                ^ right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if difference != 0 { return index &+ UInt64(littleEndian: difference).trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < count, left[index] == right[index] { index &+= 1 }
        return index
    }

    package static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        left.count == right.count
            && (left.baseAddress == right.baseAddress || self.firstMismatch(left, right) == left.count)
    }

    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { self.equal(left, $0) } }
    }

    package static func equal(_ left: ByteString, _ right: ByteString) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { self.equal(left, $0) } }
    }

    package static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Ordering {
        let mismatch = self.firstMismatch(left, right)
        if mismatch < left.count && mismatch < right.count {
            return left[mismatch] < right[mismatch] ? .ascending : .descending
        }
        return Ordering(left.count, right.count)
    }

    package static func compare(_ left: [UInt8], _ right: [UInt8]) -> Ordering {
        left.withUnsafeBytes { left in right.withUnsafeBytes { right in self.compare(left, right) } }
    }
}
