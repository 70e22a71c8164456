/// Numbers in pieces of seven bits, the lowest first, as protobuf and the log have them: every byte but the last has its
/// highest bit set.
///
/// Usable from inline itself: else Swift keeps what is inlinable in it from other modules.
@usableFromInline
package enum Varint {
    /// What any number takes at most.
    @usableFromInline
    package static let sizeMax = 10

    @inlinable
    package static func size(_ number: UInt64) -> Int {
        // One byte for each seven significant bits, rounded up, without a division by seven.
        (9 * (64 - (number | 1).leadingZeroBitCount) + 64) / 64
    }

    @inlinable
    package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        self.forEachByte(of: number) { bytes.append($0) }
    }

    @inlinable
    package static func forEachByte(of number: UInt64, _ body: (UInt8) -> Void) {
        var rest = number
        while rest >= 0x80 {
            body(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        body(UInt8(truncatingIfNeeded: rest))
    }

    /// Traps when the memory ends before the number does.
    @inlinable
    package static func write(_ number: UInt64, to memory: UnsafeMutableRawBufferPointer, at position: inout Int) {
        var rest = number
        while rest >= 0x80 {
            memory[position] = UInt8(truncatingIfNeeded: rest) | 0x80
            position &+= 1
            rest >>= 7
        }
        memory[position] = UInt8(truncatingIfNeeded: rest)
        position &+= 1
    }

    /// A number, and whether this is how `append` writes it: as short as can be, and no bits beyond 64, which are dropped.
    @usableFromInline
    package typealias Reading = (number: UInt64, isMinimal: Bool)

    /// Nil when the number is cut short by `end`, which is within `bytes`, or has more than ten bytes; `position` has moved
    /// then, too.
    @inlinable
    package static func read(_ bytes: UnsafeRawBufferPointer, at position: inout Int, end: Int) -> Reading? {
        var number: UInt64 = 0
        for index in 0..<self.sizeMax {
            guard position < end else { return nil }
            let byte = bytes[position]
            position &+= 1
            number |= UInt64(byte & 0x7F) << (7 &* UInt64(index))
            if byte < 0x80 {
                let isMinimal = !(byte == 0 && index > 0 || index == 9 && byte != 1)
                return (number, isMinimal)
            }
        }
        return nil
    }
}
