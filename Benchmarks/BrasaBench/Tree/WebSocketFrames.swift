import NIOCore

/// Frames that a server sends, whole and without a mask, as they are found in what has come.
struct WebSocketFrames {
    struct Frame {
        let opcode: UInt8
        let payload: ByteBuffer
    }

    static let text: UInt8 = 1
    static let close: UInt8 = 8
    static let ping: UInt8 = 9
    static let pong: UInt8 = 10

    private var received = ByteBuffer()

    mutating func append(_ bytes: ByteBuffer) {
        if self.received.readableBytes == 0 {
            self.received = bytes
        } else {
            self.received.writeImmutableBuffer(bytes)
        }
    }

    /// Takes everything up to an end, with it; nil when that has not come.
    mutating func head(through end: [UInt8]) -> ByteBuffer? {
        guard let found = self.received.readableBytesView.firstRange(of: end) else { return nil }
        return self.received.readSlice(length: found.upperBound - self.received.readerIndex)
    }

    /// Nil while it has not come whole.
    mutating func next() -> Frame? {
        let start = self.received.readerIndex
        guard let first = self.received.getInteger(at: start, as: UInt8.self),
            let second = self.received.getInteger(at: start + 1, as: UInt8.self)
        else { return nil }
        var (headBytes, length) = (2, Int(second & 0x7F))
        if length == 126 {
            guard let long = self.received.getInteger(at: start + 2, as: UInt16.self) else { return nil }
            (headBytes, length) = (4, Int(long))
        } else if length == 127 {
            guard let longest = self.received.getInteger(at: start + 2, as: UInt64.self) else { return nil }
            (headBytes, length) = (10, Int(clamping: longest))
        }
        guard self.received.readableBytes - headBytes >= length else { return nil }
        self.received.moveReaderIndex(forwardBy: headBytes)
        guard let payload = self.received.readSlice(length: length) else { return nil }
        return Frame(opcode: first & 0x0F, payload: payload)
    }

    /// A client's frame. Its mask is zero: nobody on the way is to be kept from taking it for something else.
    static func write(_ payload: some Collection<UInt8>, opcode: UInt8 = Self.text, to buffer: inout ByteBuffer) {
        buffer.writeInteger(0x80 | opcode)
        switch payload.count {
        case ..<126: buffer.writeInteger(0x80 | UInt8(payload.count))
        case ..<65_536:
            buffer.writeInteger(0x80 | UInt8(126))
            buffer.writeInteger(UInt16(payload.count))
        default:
            buffer.writeInteger(0x80 | UInt8(127))
            buffer.writeInteger(UInt64(payload.count))
        }
        buffer.writeInteger(UInt32(0))
        buffer.writeBytes(payload)
    }
}
