package import NIOCore

/// Puts the five-byte prefix before a message.
package enum GRPCMessageEncoder {
    /// Below this a message without room for its prefix is copied behind one; above, the prefix travels alone.
    private static let copiedBytesMax = 4096

    /// An empty buffer with room for the prefix before its first byte, so that framing what is written to it copies nothing.
    package static func makeBuffer(capacity: Int, allocator: ByteBufferAllocator) -> ByteBuffer {
        self.withRoomForPrefix(
            allocator.buffer(capacity: GRPCMessageDecoder.prefixBytes + max(0, capacity))
        )
    }

    /// The same of an empty buffer that there is already.
    static func withRoomForPrefix(_ buffer: consuming ByteBuffer) -> ByteBuffer {
        buffer.moveWriterIndex(to: GRPCMessageDecoder.prefixBytes)
        buffer.moveReaderIndex(to: GRPCMessageDecoder.prefixBytes)
        return buffer
    }

    /// Adds a framed message that `write` appends to the buffer.
    static func append(to buffer: inout ByteBuffer, _ write: (inout ByteBuffer) -> Void) {
        let start = buffer.writerIndex
        buffer.writeRepeatingByte(0, count: GRPCMessageDecoder.prefixBytes)
        write(&buffer)
        let length = buffer.writerIndex - start - GRPCMessageDecoder.prefixBytes
        // A buffer holds less than 4 GiB by its own construction.
        buffer.setInteger(UInt32(clamping: length), at: start + 1)
    }

    /// Writes framed messages, each of which `write` puts where it begins, and says its size; returns how many bytes they
    /// are. Traps when `memory` has no room for them.
    static func write(
        _ count: Int,
        to memory: UnsafeMutableRawBufferPointer,
        _ write: (Int, UnsafeMutableRawBufferPointer) -> Int
    ) -> Int {
        var position = 0
        for number in 0..<count {
            let start = position + GRPCMessageDecoder.prefixBytes
            let size = write(number, UnsafeMutableRawBufferPointer(rebasing: memory[start...]))
            precondition(start + size <= memory.count, "there was no room for a message")
            memory[position] = 0
            let length = UInt32(clamping: size).bigEndian
            memory.storeBytes(of: length, toByteOffset: position + 1, as: UInt32.self)
            position = start + size
        }
        return position
    }

    /// The next of such messages, without its prefix; nil when there are no more.
    static func readMessage(from buffer: inout ByteBuffer) -> ByteBuffer? {
        buffer.moveReaderIndex(forwardBy: min(1, buffer.readableBytes))
        return buffer.readInteger(as: UInt32.self).flatMap { buffer.readSlice(length: Int($0)) }
    }

    /// The framed message, in one piece, or as prefix and payload when putting them together would copy much.
    static func frame(
        _ message: consuming ByteBuffer,
        isCompressed: Bool,
        allocator: ByteBufferAllocator
    ) -> (ByteBuffer, ByteBuffer?) {
        let length = message.readableBytes
        let prefixBytes = GRPCMessageDecoder.prefixBytes
        if message.readerIndex >= prefixBytes {
            // What lies before the reader index was read or reserved: nobody looks at it again through this buffer.
            message.moveReaderIndex(to: message.readerIndex - prefixBytes)
            Self.setPrefix(of: &message, length: length, isCompressed: isCompressed)
            return (message, nil)
        }
        let isCopied = length <= Self.copiedBytesMax
        var framed = allocator.buffer(capacity: prefixBytes + (isCopied ? length : 0))
        framed.moveWriterIndex(to: prefixBytes)
        Self.setPrefix(of: &framed, length: length, isCompressed: isCompressed)
        guard isCopied else { return (framed, message) }
        framed.writeImmutableBuffer(message)
        return (framed, nil)
    }

    /// The beginning of a frame, whose message begins with a buffer of `makeBuffer` and goes on with so many bytes.
    static func frame(startingWith start: consuming ByteBuffer, andBytes count: Int) -> ByteBuffer {
        let length = start.readableBytes + count
        start.moveReaderIndex(to: start.readerIndex - GRPCMessageDecoder.prefixBytes)
        Self.setPrefix(of: &start, length: length, isCompressed: false)
        return start
    }

    private static func setPrefix(of buffer: inout ByteBuffer, length: Int, isCompressed: Bool) {
        let start = buffer.readerIndex
        buffer.setInteger(isCompressed ? 1 : 0, at: start, as: UInt8.self)
        // A buffer holds less than 4 GiB by its own construction.
        buffer.setInteger(UInt32(clamping: length), at: start + 1)
    }
}
