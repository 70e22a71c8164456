import BrasaWire
import NIOCore

/// A query's message, made before the measurement for all kinds whose numbers have so many digits: what tells two queries
/// apart is written over it. Whoever runs a prepared statement sends its values alone, and makes no more of them.
struct QueryTemplate: Sendable {
    private let bytes: [UInt8]
    private let digits: Range<Int>
    /// Where the number stands from which a query asks for documents; it is below 128.
    private let first: Int?

    /// What stands before the digits, once in a message.
    static let head = "kind-"

    /// - Parameters:
    ///   - digitCount: how many digits follow the head.
    ///   - message: of a query of the first such kind from a number on; the number, if it matters, changes one byte.
    init?(digitCount: Int, _ message: (_ first: Int) -> ByteBuffer) {
        let bytes = Array(message(0).readableBytesView)
        let other = Array(message(1).readableBytesView)
        guard bytes.count == other.count, let head = bytes.firstRange(of: Self.head.utf8) else { return nil }
        let digits = head.upperBound..<head.upperBound + digitCount
        let differing = bytes.indices.filter { bytes[$0] != other[$0] }
        guard digits.upperBound <= bytes.count, differing.count <= 1 else { return nil }
        if let first = differing.first {
            guard bytes[first] == 0, other[first] == 1, !digits.contains(first) else { return nil }
        }
        self.bytes = bytes
        self.digits = digits
        self.first = differing.first
    }

    /// - Parameters:
    ///   - kind: its number, of as many digits.
    ///   - first: below 128.
    func write(kind: Int, first: Int, into buffer: inout ByteBuffer) {
        _ = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: self.bytes.count) { memory in
            self.bytes.withUnsafeBytes { memory.copyMemory(from: $0) }
            var rest = kind
            for position in self.digits.reversed() {
                memory[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            if let position = self.first { memory[position] = UInt8(truncatingIfNeeded: first) }
            return self.bytes.count
        }
    }
}
