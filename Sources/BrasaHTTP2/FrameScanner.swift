/// Finds the frames' headers in what is read. nghttp2 tells of frames, too, but not of DATA that it is about to ignore.
struct FrameScanner {
    private static let headerBytes = 9
    private static let clientPrefaceBytes = 24

    /// Until the next header: the rest of a frame, or the preface.
    private var bytesToSkip: Int
    /// What earlier reads brought of it.
    private var partial: UInt128 = 0
    private var partialCount = 0
    private var headerBlocks = 0
    private var isHeaderBlockOpen = false
    private var isInHeaderFrame = false

    init(isServer: Bool) {
        self.bytesToSkip = isServer ? Self.clientPrefaceBytes : 0
    }

    /// Which header block has begun and is not whole, counted from the connection's beginning.
    var openHeaderBlock: Int? {
        self.isHeaderBlockOpen || (self.isInHeaderFrame && self.bytesToSkip > 0) ? self.headerBlocks : nil
    }

    /// The next header that is complete, and where in these bytes it begins: at 0 when it began in an earlier read.
    /// `position` is how far they have been scanned.
    mutating func next(in bytes: UnsafeRawBufferPointer, from position: inout Int) -> (FrameHeader, start: Int)? {
        let skipped = min(self.bytesToSkip, bytes.count - position)
        self.bytesToSkip -= skipped
        position += skipped
        let start = position
        // Most headers are in one read.
        if self.partialCount == 0, bytes.count - position >= Self.headerBytes {
            let bits = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self).bigEndian
            position += Self.headerBytes
            return (self.began(FrameHeader(bigEndian: UInt128(bits) << 8 | UInt128(bytes[position - 1]))), start)
        }
        while position < bytes.count {
            self.partial = self.partial << 8 | UInt128(bytes[position])
            self.partialCount += 1
            position += 1
            guard self.partialCount == Self.headerBytes else { continue }
            let header = FrameHeader(bigEndian: self.partial)
            self.partial = 0
            self.partialCount = 0
            return (self.began(header), start)
        }
        return nil
    }

    private mutating func began(_ header: FrameHeader) -> FrameHeader {
        self.bytesToSkip = header.payloadBytes
        self.isInHeaderFrame = header.kind == .headers || header.kind == .continuation
        self.isHeaderBlockOpen = self.isInHeaderFrame && !header.endHeaders
        if header.kind == .headers { self.headerBlocks += 1 }
        return header
    }
}
