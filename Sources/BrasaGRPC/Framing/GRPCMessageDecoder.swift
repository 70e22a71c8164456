package import NIOCore

/// What can be wrong with the five bytes before a message.
package enum GRPCFramingError: Error, Sendable, Hashable {
    /// The flag is neither 0 nor 1.
    case invalidFlag
    /// The announced length is over the limit; none of it was waited for.
    case messageTooLarge
}

/// Splits the bytes of one direction of a call into messages: a flag byte, four bytes of length (big-endian), the payload,
/// wherever the data frames happen to cut. A message that arrived in one piece is a slice of what arrived.
///
/// Buffers at most one unfinished message, and what the caller has not asked for yet; flow control bounds the latter.
package struct GRPCMessageDecoder {
    package struct Message {
        package var payload: ByteBuffer
        package var isCompressed: Bool
    }

    package static let prefixBytes = 5

    private let messageBytesMax: Int
    private var buffer = ByteBuffer()

    package init(messageBytesMax: Int) {
        self.messageBytesMax = messageBytesMax
    }

    /// Bytes received and not given out yet.
    package var bufferedBytes: Int { self.buffer.readableBytes }

    package mutating func append(_ data: consuming ByteBuffer) {
        if self.buffer.readableBytes == 0 {
            self.buffer = data
        } else {
            // Without this a stream whose messages always straddle frames would grow its buffer forever.
            if self.buffer.readerIndex > 0 { self.buffer.discardReadBytes() }
            self.buffer.writeImmutableBuffer(data)
        }
    }

    /// The next complete message; nil when more bytes are needed.
    package mutating func next() throws(GRPCFramingError) -> Message? {
        let start = self.buffer.readerIndex
        guard let flag = self.buffer.getInteger(at: start, as: UInt8.self) else { return nil }
        guard flag <= 1 else { throw .invalidFlag }
        guard let length = self.buffer.getInteger(at: start + 1, as: UInt32.self) else { return nil }
        guard Int(length) <= self.messageBytesMax else { throw .messageTooLarge }
        guard self.buffer.readableBytes - Self.prefixBytes >= Int(length) else { return nil }
        self.buffer.moveReaderIndex(forwardBy: Self.prefixBytes)
        guard let payload = self.buffer.readSlice(length: Int(length)) else { return nil }
        if self.buffer.readableBytes == 0 { self.buffer = ByteBuffer() }
        return Message(payload: payload, isCompressed: flag == 1)
    }

    /// Lets go of everything; nothing will be asked for again.
    mutating func discard() {
        self.buffer = ByteBuffer()
    }
}
