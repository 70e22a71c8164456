internal import NIOCore

/// Bytes that wait to be sent on one stream, oldest first. The first buffer needs no allocation: most streams send one.
/// Bounded by whoever fills it, through `HTTP2Stream.isWritable`.
struct OutboundQueue {
    private var first: ByteBuffer?
    private var rest: [ByteBuffer] = []
    /// How many of `rest` have moved to `first` already.
    private var restStart = 0
    private(set) var readableBytes = 0
    /// A small buffer that has been sent, for the next message.
    private var spare: ByteBuffer?

    /// What is worth keeping: it stays with the stream.
    static let spareBytesMax = 512

    /// An empty buffer with room for so many bytes, if there is one that nobody else has.
    mutating func takeSpare(capacity: Int) -> ByteBuffer? {
        guard var spare = self.spare.take(), spare.storageCapacity >= capacity else { return nil }
        // Cleared in place: one that somebody shares would be made anew.
        return spare.modifyIfUniquelyOwned { $0.clear() } == nil ? nil : spare
    }

    mutating func append(_ buffer: ByteBuffer) {
        guard buffer.readableBytes > 0 else { return }
        self.readableBytes += buffer.readableBytes
        if self.first == nil {
            self.first = buffer
        } else {
            self.rest.append(buffer)
        }
    }

    /// Moves `count` bytes to the end of `target`. There must be as many.
    mutating func move(_ count: Int, to target: inout ByteBuffer) {
        precondition(count <= self.readableBytes)
        self.readableBytes -= count
        var missing = count
        while missing > 0, let available = self.first?.readableBytes {
            let part = min(missing, available)
            self.first?.readWithUnsafeReadableBytes { bytes in
                _ = target.writeBytes(UnsafeRawBufferPointer(rebasing: bytes.prefix(part)))
                return part
            }
            missing -= part
            if part == available { self.advance() }
        }
    }

    mutating func removeAll() {
        let spare = self.spare
        self = Self()
        self.spare = spare
    }

    private mutating func advance() {
        guard self.restStart < self.rest.count else {
            if let first = self.first, first.storageCapacity <= Self.spareBytesMax { self.spare = first }
            self.first = nil
            return
        }
        self.first = self.rest[self.restStart]
        self.rest[self.restStart] = ByteBuffer()
        self.restStart += 1
        // Bytes already sent must not be kept by a queue that never runs empty.
        if self.restStart == self.rest.count || self.restStart >= max(64, self.rest.count / 2) {
            self.rest.removeFirst(self.restStart)
            self.restStart = 0
        }
    }
}
