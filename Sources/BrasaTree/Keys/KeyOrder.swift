/// The order of keys: those that read as 32-bit integers first, by number; of equal numbers the shorter text, then the
/// order of text (`-0` before `00`, which clients leave open); then all others by UTF-16 code units.
enum KeyOrder {
    /// A key to look for: what the order asks of it is found once.
    struct Probe {
        let bytes: UnsafeBufferPointer<UInt8>
        let integer: Int32?

        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            self.bytes = bytes
            self.integer = KeyOrder.integer(bytes)
        }
    }

    @inline(__always)
    static func compare(_ left: Probe, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        self.compare(left.bytes, left.integer, right, self.integer(right))
    }

    static func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        self.compare(left, self.integer(left), right, self.integer(right))
    }

    private static func compare(
        _ left: UnsafeBufferPointer<UInt8>,
        _ leftInteger: Int32?,
        _ right: UnsafeBufferPointer<UInt8>,
        _ rightInteger: Int32?
    ) -> Int {
        switch (leftInteger, rightInteger) {
        case (nil, nil): return CodeUnitOrder.compare(left, right)
        case (nil, _?): return 1
        case (_?, nil): return -1
        case (let leftInteger?, let rightInteger?):
            if leftInteger != rightInteger { return leftInteger < rightInteger ? -1 : 1 }
            if left.count != right.count { return left.count - right.count }
            return CodeUnitOrder.compare(left, right)
        }
    }

    /// The number of a key that is an optional minus and decimal digits, leading zeros allowed, and fits 32 bits.
    static func integer(_ key: UnsafeBufferPointer<UInt8>) -> Int32? {
        guard let first = key.first else { return nil }
        let isNegative = first == UInt8(ascii: "-")
        var index = isNegative ? 1 : 0
        guard index < key.count, self.digit(key[index]) != nil else { return nil }
        var magnitude: Int64 = 0
        while index < key.count {
            guard let digit = self.digit(key[index]) else { return nil }
            magnitude = magnitude * 10 + Int64(digit)
            guard magnitude <= 2_147_483_648 else { return nil }
            index += 1
        }
        return Int32(exactly: isNegative ? -magnitude : magnitude)
    }

    @inline(__always)
    private static func digit(_ byte: UInt8) -> UInt8? {
        let digit = byte &- UInt8(ascii: "0")
        return digit <= 9 ? digit : nil
    }
}
