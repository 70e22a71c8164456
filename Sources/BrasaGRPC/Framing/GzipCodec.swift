internal import NIOCore

/// One inflater and one deflater, made when first needed and shared by all calls of an event loop. Only on that loop.
final class GzipCodec {
    private var inflater: GzipInflater?
    private var deflater: GzipDeflater?

    func inflate(
        _ compressed: ByteBuffer,
        bytesMax: Int,
        allocator: ByteBufferAllocator
    ) throws(GzipError) -> ByteBuffer {
        if self.inflater == nil { self.inflater = try GzipInflater() }
        guard let inflated = try self.inflater?.inflate(compressed, bytesMax: bytesMax, allocator: allocator) else {
            throw .outOfMemory
        }
        return inflated
    }

    /// Nil when it cannot: the message then travels uncompressed, which is always allowed.
    func deflate(_ message: ByteBuffer, allocator: ByteBufferAllocator) -> ByteBuffer? {
        if self.deflater == nil { self.deflater = try? GzipDeflater() }
        return try? self.deflater?.deflate(message, allocator: allocator)
    }
}
