import BrasaWire
import NIOCore

/// A query's message, made before the measurement for all kinds whose numbers have so many digits: what tells two queries
/// apart is written over it. Whoever runs a prepared statement sends its values alone, and makes no more of them.
struct QueryTemplate: Sendable {
    private let bytes: [UInt8]
    private let digits: Range<Int>
    /// Where the number stands from which a query asks for documents, a varint.
    private let first: Range<Int>?

    /// What stands before the digits, once in a message.
    static let head = "kind-"

    /// - Parameters:
    ///   - digitCount: how many digits follow the head.
    ///   - firstWidth: how many bytes the number's varint has.
    ///   - message: of a query of the first such kind from a number on, if it matters.
    init?(digitCount: Int, firstWidth: Int = 1, _ message: (_ first: Int) -> ByteBuffer) {
        let least = firstWidth == 1 ? 0 : 1 << (7 * (firstWidth - 1))
        let bytes = Array(message(least).readableBytesView)
        let other = Array(message(least + 1).readableBytesView)
        guard bytes.count == other.count, let head = bytes.firstRange(of: Self.head.utf8) else { return nil }
        let digits = head.upperBound..<head.upperBound + digitCount
        let differing = bytes.indices.filter { bytes[$0] != other[$0] }
        guard digits.upperBound <= bytes.count, differing.count <= 1 else { return nil }
        let first = differing.first.map { $0..<$0 + firstWidth }
        if let first {
            guard first.upperBound <= bytes.count, !digits.overlaps(first) else { return nil }
            guard bytes[first].elementsEqual(Self.varint(least, width: firstWidth)) else { return nil }
            guard other[first].elementsEqual(Self.varint(least + 1, width: firstWidth)) else { return nil }
        }
        self.bytes = bytes
        self.digits = digits
        self.first = first
    }

    /// How many bytes a number's varint has.
    static func width(_ number: Int) -> Int { max(1, (Int.bitWidth - number.leadingZeroBitCount + 6) / 7) }

    private static func varint(_ number: Int, width: Int) -> some Sequence<UInt8> {
        (0..<width).lazy.map { place in
            let bits = UInt8(truncatingIfNeeded: number >> (7 * place)) & 0x7F
            return place + 1 < width ? bits | 0x80 : bits
        }
    }

    /// - Parameters:
    ///   - kind: its number, of as many digits.
    ///   - first: of as many bytes.
    func write(kind: Int, first: Int, into buffer: inout ByteBuffer) {
        _ = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: self.bytes.count) { memory in
            self.bytes.withUnsafeBytes { memory.copyMemory(from: $0) }
            var rest = kind
            for position in self.digits.reversed() {
                memory[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            if let places = self.first {
                for (place, byte) in zip(places, Self.varint(first, width: places.count)) { memory[place] = byte }
            }
            return self.bytes.count
        }
    }
}
