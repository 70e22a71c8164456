internal import CBrasaNghttp2

/// The memory of one nghttp2 session. What a stream takes is taken again by the next one, so that a connection in use
/// allocates nothing for a call: small blocks that are freed are kept, as many as `keepFreed` allows.
struct Nghttp2Memory: ~Copyable {
    /// Larger blocks (buffers of frames, made once) come from the system and go back to it.
    private static var smallBytesMax: Int { 1024 }
    /// Small blocks come in multiples of this.
    private static var stepBytes: Int { 64 }
    /// Before each block: how many bytes it has.
    private static var headerBytes: Int { 16 }

    private struct Pool {
        var keptBytes = 0
        /// Past it a freed block goes back to the system.
        var keptBytesMax = 0
        /// By steps: the first free block, in which stands the next.
        let free: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    }

    private let pool: UnsafeMutablePointer<Pool>

    init() {
        let count = Self.smallBytesMax / Self.stepBytes + 1
        let free = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: count)
        free.initialize(repeating: nil, count: count)
        self.pool = .allocate(capacity: 1)
        self.pool.initialize(to: Pool(free: free))
    }

    deinit {
        self.keepFreed(0)
        self.pool.pointee.free.deallocate()
        self.pool.deallocate()
    }

    /// Past so many bytes nothing is kept; what is kept beyond goes back.
    func keepFreed(_ bytesMax: Int) {
        self.pool.pointee.keptBytesMax = bytesMax
        guard self.pool.pointee.keptBytes > bytesMax else { return }
        for step in 0...Self.smallBytesMax / Self.stepBytes {
            while let block = self.pool.pointee.free[step] {
                self.pool.pointee.free[step] = block.load(as: UnsafeMutableRawPointer?.self)
                (block - Self.headerBytes).deallocate()
            }
        }
        self.pool.pointee.keptBytes = 0
    }

    /// For a session that lives no longer than this. Its functions are called wherever the session is used.
    var functions: nghttp2_mem {
        nghttp2_mem(
            mem_user_data: UnsafeMutableRawPointer(self.pool),
            malloc: { bytes, pool in Nghttp2Memory.allocate(bytes, pool) },
            free: { block, pool in Nghttp2Memory.free(block, pool) },
            calloc: { count, bytes, pool in
                let (total, overflow) = count.multipliedReportingOverflow(by: bytes)
                guard !overflow, let block = Nghttp2Memory.allocate(total, pool) else { return nil }
                block.initializeMemory(as: UInt8.self, repeating: 0, count: Int(total))
                return block
            },
            realloc: { block, bytes, pool in
                guard let block else { return Nghttp2Memory.allocate(bytes, pool) }
                let capacity = Nghttp2Memory.capacity(of: block)
                if bytes <= capacity { return block }
                guard let larger = Nghttp2Memory.allocate(bytes, pool) else { return nil }
                larger.copyMemory(from: block, byteCount: capacity)
                Nghttp2Memory.free(block, pool)
                return larger
            }
        )
    }

    private static func capacity(of block: UnsafeMutableRawPointer) -> Int {
        (block - Self.headerBytes).load(as: Int.self)
    }

    private static func allocate(_ bytes: Int, _ data: UnsafeMutableRawPointer?)
        -> UnsafeMutableRawPointer?
    {
        guard let pool = data?.assumingMemoryBound(to: Pool.self) else { return nil }
        var capacity = bytes
        if bytes <= Self.smallBytesMax {
            let step = max(1, (bytes + Self.stepBytes - 1) / Self.stepBytes)
            capacity = step * Self.stepBytes
            if let block = pool.pointee.free[step] {
                pool.pointee.free[step] = block.load(as: UnsafeMutableRawPointer?.self)
                pool.pointee.keptBytes -= capacity
                return block
            }
        }
        let start = UnsafeMutableRawPointer.allocate(
            byteCount: Self.headerBytes + capacity,
            alignment: 16
        )
        start.storeBytes(of: capacity, as: Int.self)
        return start + Self.headerBytes
    }

    private static func free(_ block: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?) {
        guard let block, let pool = data?.assumingMemoryBound(to: Pool.self) else { return }
        let capacity = Self.capacity(of: block)
        guard capacity <= Self.smallBytesMax, pool.pointee.keptBytes + capacity <= pool.pointee.keptBytesMax
        else {
            return (block - Self.headerBytes).deallocate()
        }
        let step = capacity / Self.stepBytes
        block.storeBytes(of: pool.pointee.free[step], as: UnsafeMutableRawPointer?.self)
        pool.pointee.free[step] = block
        pool.pointee.keptBytes += capacity
    }
}
