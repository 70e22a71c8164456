package import NIOCore

/// A message that is framed once and sent on any number of calls, which share its bytes.
package final class GRPCFramedMessage: Sendable {
    /// Prefix and payload.
    let bytes: FramedBytes

    /// - Parameter capacity: about how large the message gets; it may grow.
    package init(capacity: Int = 64, _ write: (inout ByteBuffer) -> Void) {
        let allocator = ByteBufferAllocator()
        var buffer = GRPCMessageEncoder.makeBuffer(capacity: capacity, allocator: allocator)
        write(&buffer)
        // The buffer has room for the prefix, so the frame is in one piece.
        self.bytes = FramedBytes(GRPCMessageEncoder.frame(buffer, isCompressed: false, allocator: allocator).0)
    }

    /// A message whose middle is in other messages too, and is not copied.
    package init(
        around shared: ByteBuffer,
        before writeStart: (inout ByteBuffer) -> Void,
        after writeEnd: (inout ByteBuffer) -> Void
    ) {
        let allocator = ByteBufferAllocator()
        var start = GRPCMessageEncoder.makeBuffer(capacity: 32, allocator: allocator)
        writeStart(&start)
        var end = allocator.buffer(capacity: 32)
        writeEnd(&end)
        let frame = GRPCMessageEncoder.frame(startingWith: start, andBytes: shared.readableBytes + end.readableBytes)
        self.bytes = FramedBytes(frame, FramedBytes.Rest(shared: shared, end: end))
    }

    /// Without the prefix, in one piece.
    var payload: ByteBuffer {
        var payload = self.bytes.start
        payload.moveReaderIndex(forwardBy: GRPCMessageDecoder.prefixBytes)
        guard let rest = self.bytes.rest else { return payload }
        payload.writeImmutableBuffer(rest.shared)
        payload.writeImmutableBuffer(rest.end)
        return payload
    }
}

/// Two such messages that are sent one after the other.
package final class GRPCFramedMessages: Sendable {
    let first: GRPCFramedMessage
    let second: GRPCFramedMessage
    let bytes: FramedBytes

    package init(_ first: GRPCFramedMessage, _ second: GRPCFramedMessage) {
        self.first = first
        self.second = second
        self.bytes = FramedBytes(first.bytes, second.bytes)
    }
}

/// One or more frames: in one piece, or around bytes that belong to others as well.
struct FramedBytes: Sendable {
    struct Rest: Sendable {
        let shared: ByteBuffer
        let end: ByteBuffer
    }

    let start: ByteBuffer
    let rest: Rest?

    init(_ start: ByteBuffer, _ rest: Rest? = nil) {
        self.start = start
        self.rest = rest
    }

    /// Both, one after the other; only what is shared in the first is not copied.
    init(_ first: FramedBytes, _ second: FramedBytes) {
        var end = second.start
        if let rest = second.rest { end = Self.joined([second.start, rest.shared, rest.end]) }
        if let rest = first.rest {
            self.init(first.start, Rest(shared: rest.shared, end: Self.joined([rest.end, end])))
        } else {
            self.init(Self.joined([first.start, end]))
        }
    }

    private static func joined(_ buffers: [ByteBuffer]) -> ByteBuffer {
        var joined = ByteBufferAllocator().buffer(capacity: buffers.reduce(0) { $0 + $1.readableBytes })
        for buffer in buffers { joined.writeImmutableBuffer(buffer) }
        return joined
    }
}
