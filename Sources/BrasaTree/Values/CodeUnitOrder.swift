/// The order of UTF-16 code units, found on UTF-8. Both agree with the order of bytes, except that a character beyond the
/// basic plane (first byte F0 or above) is a surrogate pair and comes before U+E000 to U+FFFF (first byte EE or EF).
enum CodeUnitOrder {
    /// Negative, zero or positive.
    static func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        let shared = min(left.count, right.count)
        var index = 0
        while index < shared {
            let (one, other) = (left[index], right[index])
            if one != other { return self.rank(one) < self.rank(other) ? -1 : 1 }
            index &+= 1
        }
        return left.count - right.count
    }

    static func areEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        left.count == right.count && self.compare(left, right) == 0
    }

    @inline(__always)
    private static func rank(_ byte: UInt8) -> UInt8 {
        if byte < 0xEE { return byte }
        return byte >= 0xF0 ? byte &- 2 : byte &+ 5
    }
}
