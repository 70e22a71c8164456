internal import NIOCore

extension WireMessage {
    /// Appends the message to the buffer: at once where there is room for it, else behind a reservation of its exact size.
    func write(into buffer: inout ByteBuffer) {
        let missing = buffer.writableBytes > 0 ? self.write(into: &buffer, minimumBytes: 0) : self.wireSize
        guard missing > 0 else { return }
        _ = self.write(into: &buffer, minimumBytes: missing)
    }

    /// How many bytes the message takes, when there was no room for them.
    private func write(into buffer: inout ByteBuffer, minimumBytes: Int) -> Int {
        var missing = 0
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: minimumBytes) { memory in
            var sink = WireSink(memory)
            self.encode(to: &sink)
            if sink.isComplete { return sink.position }
            missing = sink.position
            return 0
        }
        return missing
    }
}
