internal import CBrasaZlib
package import NIOCore

package enum GzipError: Error, Sendable, Hashable {
    /// Not gzip, cut short, or with bytes behind its end.
    case corrupt
    /// It would decompress to more than the limit; it was not decompressed further.
    case tooLarge
    case outOfMemory
}

/// Owns one zlib inflate stream and uses it for one message after the other. Not thread-safe; about 40 KiB once used.
package struct GzipInflater: ~Copyable {
    /// On the heap because zlib keeps a pointer to it.
    private let stream: UnsafeMutablePointer<z_stream>

    package init() throws(GzipError) {
        self.stream = .allocate(capacity: 1)
        self.stream.initialize(to: z_stream())
        guard brasa_zlib_inflate_gzip_init(self.stream) == Z_OK else {
            self.stream.deallocate()
            throw .outOfMemory
        }
    }

    deinit {
        inflateEnd(self.stream)
        self.stream.deallocate()
    }

    /// Decompresses a whole message. The output grows with what is really produced and never beyond `bytesMax`.
    package mutating func inflate(
        _ compressed: ByteBuffer,
        bytesMax: Int,
        allocator: ByteBufferAllocator
    ) throws(GzipError) -> ByteBuffer {
        guard inflateReset(self.stream) == Z_OK else { throw .corrupt }
        let guess = min(bytesMax, max(256, compressed.readableBytes * 4))
        var output = allocator.buffer(capacity: guess)
        var outcome = Z_OK
        compressed.withUnsafeReadableBytes { input in
            self.setInput(input)
            while outcome == Z_OK {
                // One byte of room beyond the limit tells "exactly the limit" from "more".
                let room = min(max(256, output.readableBytes), bytesMax + 1 - output.readableBytes)
                guard room > 0 else { return }
                outcome = self.step(&output, room: room)
            }
        }
        self.stream.pointee.next_in = nil
        if output.readableBytes > bytesMax { throw .tooLarge }
        switch outcome {
        case Z_STREAM_END where self.stream.pointee.avail_in == 0: return output
        case Z_MEM_ERROR: throw .outOfMemory
        default: throw .corrupt
        }
    }

    private func setInput(_ input: UnsafeRawBufferPointer) {
        // zlib only reads its input, but declares it mutable.
        self.stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        )
        self.stream.pointee.avail_in = UInt32(clamping: input.count)
    }

    /// One call of `inflate` into the buffer's free space. Without progress zlib answers `Z_BUF_ERROR`, so a loop ends.
    private func step(_ output: inout ByteBuffer, room: Int) -> Int32 {
        var outcome = Z_OK
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { free in
            let offered = min(room, free.count)
            self.stream.pointee.next_out = free.baseAddress?.assumingMemoryBound(to: UInt8.self)
            self.stream.pointee.avail_out = UInt32(clamping: offered)
            outcome = CBrasaZlib.inflate(self.stream, Z_NO_FLUSH)
            self.stream.pointee.next_out = nil
            return offered - Int(self.stream.pointee.avail_out)
        }
        return outcome
    }
}
