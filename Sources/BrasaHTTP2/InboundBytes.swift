internal import NIOCore

/// The read that is being fed to the session, and the newest bytes of a body in it.
struct InboundBytes {
    private var read = ByteBuffer()
    private var base: UnsafeRawPointer?
    /// Held back until it is known whether they are the last.
    private(set) var held: (stream: HTTP2Stream, bytes: ByteBuffer)?

    /// For as long as the bytes stay in place.
    mutating func begin(_ read: ByteBuffer, at base: UnsafeRawPointer?) {
        self.read = read
        self.base = base
    }

    mutating func end() {
        self.read = ByteBuffer()
        self.base = nil
    }

    /// A part of the read, without copying it.
    func slice(_ bytes: UnsafeRawBufferPointer) -> ByteBuffer? {
        guard let base = self.base, let start = bytes.baseAddress else { return nil }
        return self.read.getSlice(at: self.read.readerIndex + (start - base), length: bytes.count)
    }

    mutating func hold(_ bytes: ByteBuffer, of stream: HTTP2Stream) { self.held = (stream, bytes) }

    mutating func takeHeld() -> (stream: HTTP2Stream, bytes: ByteBuffer)? {
        defer { self.held = nil }
        return self.held
    }
}
