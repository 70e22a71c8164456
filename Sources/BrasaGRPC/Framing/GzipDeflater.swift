internal import CBrasaZlib
package import NIOCore

/// Owns one zlib deflate stream and uses it for one message after the other. Not thread-safe; about 256 KiB once used.
package struct GzipDeflater: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>

    package init() throws(GzipError) {
        self.stream = .allocate(capacity: 1)
        self.stream.initialize(to: z_stream())
        guard brasa_zlib_deflate_gzip_init(self.stream, Z_BEST_SPEED) == Z_OK else {
            self.stream.deallocate()
            throw .outOfMemory
        }
    }

    deinit {
        deflateEnd(self.stream)
        self.stream.deallocate()
    }

    /// The message as gzip, in a buffer with room for a prefix (`GRPCMessageEncoder.makeBuffer`).
    package mutating func deflate(_ message: ByteBuffer, allocator: ByteBufferAllocator) throws(GzipError) -> ByteBuffer
    {
        guard deflateReset(self.stream) == Z_OK else { throw .corrupt }
        let bound = Int(deflateBound(self.stream, UInt(message.readableBytes)))
        var output = GRPCMessageEncoder.makeBuffer(capacity: bound, allocator: allocator)
        var outcome = Z_OK
        message.withUnsafeReadableBytes { input in
            self.stream.pointee.next_in = UnsafeMutablePointer(
                mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            )
            self.stream.pointee.avail_in = UInt32(clamping: input.count)
            output.writeWithUnsafeMutableBytes(minimumWritableBytes: bound) { free in
                self.stream.pointee.next_out = free.baseAddress?.assumingMemoryBound(to: UInt8.self)
                self.stream.pointee.avail_out = UInt32(clamping: free.count)
                outcome = CBrasaZlib.deflate(self.stream, Z_FINISH)
                self.stream.pointee.next_out = nil
                return free.count - Int(self.stream.pointee.avail_out)
            }
        }
        self.stream.pointee.next_in = nil
        // `deflateBound` is an upper bound, so one call finishes.
        guard outcome == Z_STREAM_END else { throw .corrupt }
        return output
    }
}
