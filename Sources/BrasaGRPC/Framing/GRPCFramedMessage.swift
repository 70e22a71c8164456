package import NIOCore

/// A message that is framed once and sent on any number of calls, which share its bytes.
package struct GRPCFramedMessage: Sendable {
    /// Prefix and payload.
    let frame: ByteBuffer

    /// - Parameter capacity: about how large the message gets; it may grow.
    package init(capacity: Int = 64, _ write: (inout ByteBuffer) -> Void) {
        let allocator = ByteBufferAllocator()
        var buffer = GRPCMessageEncoder.makeBuffer(capacity: capacity, allocator: allocator)
        write(&buffer)
        // The buffer has room for the prefix, so the frame is in one piece.
        self.frame = GRPCMessageEncoder.frame(buffer, isCompressed: false, allocator: allocator).0
    }

    var payload: ByteBuffer {
        var payload = self.frame
        payload.moveReaderIndex(forwardBy: GRPCMessageDecoder.prefixBytes)
        return payload
    }
}

/// Two such messages that are sent one after the other.
package struct GRPCFramedMessages: Sendable {
    let first: GRPCFramedMessage
    let second: GRPCFramedMessage
    let frames: ByteBuffer

    package init(_ first: GRPCFramedMessage, _ second: GRPCFramedMessage) {
        self.first = first
        self.second = second
        var frames = ByteBufferAllocator().buffer(
            capacity: first.frame.readableBytes + second.frame.readableBytes
        )
        frames.writeImmutableBuffer(first.frame)
        frames.writeImmutableBuffer(second.frame)
        self.frames = frames
    }
}
