import NIOCore

/// A call's message, made before the measurement for all documents whose numbers have so many digits: what tells two calls
/// apart is written over it. Encoding each anew would take the generator longer than sending it.
struct MessageTemplate: Sendable {
    private let bytes: [UInt8]
    private let digits: Range<Int>
    private let version: Range<Int>?

    /// What stands before the digits, once in a message.
    static let head = "/document-"
    /// Versions are at least this, so that their varints are all of one size.
    static let versionMin: Int64 = 1 << 62
    private static let versionBytes = 9

    /// - Parameters:
    ///   - digitCount: how many digits, all zero, follow the head in `message`.
    ///   - endsWithVersion: the message ends with `versionMin` as a varint.
    init?(_ message: ByteBuffer, digitCount: Int, endsWithVersion: Bool) {
        let bytes = Array(message.readableBytesView)
        guard let head = bytes.firstRange(of: Self.head.utf8) else { return nil }
        let digits = head.upperBound..<head.upperBound + digitCount
        guard digits.upperBound <= bytes.count, bytes[digits].allSatisfy({ $0 == UInt8(ascii: "0") }) else {
            return nil
        }
        var version: Range<Int>?
        if endsWithVersion {
            guard bytes.suffix(Self.versionBytes) == [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40] else {
                return nil
            }
            version = bytes.count - Self.versionBytes..<bytes.count
        }
        self.bytes = bytes
        self.digits = digits
        self.version = version
    }

    /// - Parameters:
    ///   - document: its number, of as many digits.
    ///   - version: below `versionMin`; what is written is as much above it.
    func write(document: Int, version: Int, into buffer: inout ByteBuffer) {
        _ = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: self.bytes.count) { memory in
            self.bytes.withUnsafeBytes { memory.copyMemory(from: $0) }
            var rest = document
            for position in self.digits.reversed() {
                memory[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            if let range = self.version {
                var rest = UInt64(bitPattern: Self.versionMin) | UInt64(version)
                for position in range.dropLast() {
                    memory[position] = UInt8(truncatingIfNeeded: rest) | 0x80
                    rest >>= 7
                }
                memory[range.upperBound - 1] = UInt8(truncatingIfNeeded: rest)
            }
            return self.bytes.count
        }
    }
}
