internal import NIOCore

/// What is on its way out: frames for the channel, and how much waits for them.
struct OutboundBytes {
    private static let spareBytesMax = 4 << 10

    /// Frames that the channel takes next.
    var output = ByteBuffer()
    /// Bytes that wait on all streams.
    private(set) var bufferedBytes = 0
    /// Bytes that were queued since output was last moved to the channel.
    private(set) var unpumpedBytes = 0

    /// On a stream.
    mutating func queued(_ count: Int) {
        self.bufferedBytes += count
        self.unpumpedBytes += count
    }

    /// A stream, sent or dropped.
    mutating func left(_ count: Int) { self.bufferedBytes -= count }

    mutating func pumped() { self.unpumpedBytes = 0 }

    /// For what waits and its frames' headers: output that has to be large is not grown step by step.
    mutating func makeRoom(atMost bytesMax: Int) {
        guard self.output.readableBytes == 0, self.bufferedBytes > self.output.capacity else { return }
        self.output.reserveCapacity(min(self.bufferedBytes + self.bufferedBytes / 8, bytesMax))
    }

    /// What the channel is given. It keeps the storage until its socket takes the bytes, so it gets no large one for a few.
    func takeable() -> ByteBuffer {
        guard self.output.capacity > Self.spareBytesMax, self.output.readableBytes < self.output.capacity / 4 else {
            return self.output
        }
        return ByteBuffer(bytes: self.output.readableBytesView)
    }

    mutating func dropOutput() { self.output = ByteBuffer() }
}
