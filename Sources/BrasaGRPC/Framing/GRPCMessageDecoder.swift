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
        /// The payload is a slice of a whole read: whoever keeps it copies it.
        package var sharesRead: Bool
    }

    package static let prefixBytes = 5

    /// Of each message from the next on.
    package var messageBytesMax: Int
    private var buffer = ByteBuffer()
    /// `buffer` is what `append` was given, not a copy of our own.
    private var sharesRead = false

    package init(messageBytesMax: Int) {
        self.messageBytesMax = messageBytesMax
    }

    /// Bytes received and not given out yet.
    package var bufferedBytes: Int { self.buffer.readableBytes }

    package mutating func append(_ data: consuming ByteBuffer) {
        if self.buffer.readableBytes == 0 {
            self.buffer = data
            self.sharesRead = true
        } else {
            self.unshare()
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
        let message = Message(payload: payload, isCompressed: flag == 1, sharesRead: self.sharesRead)
        if self.buffer.readableBytes == 0 { self.discard() }
        return message
    }

    /// Copies what is left of a read, so that a few bytes of an unfinished message do not keep all of it.
    mutating func unshare() {
        guard self.sharesRead else { return }
        self.sharesRead = false
        self.buffer = ByteBuffer(bytes: self.buffer.readableBytesView)
    }

    /// Lets go of everything that is buffered.
    mutating func discard() {
        self.buffer = ByteBuffer()
        self.sharesRead = false
    }
}
