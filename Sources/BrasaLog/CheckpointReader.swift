import BrasaPlatform

/// Reads one checkpoint file, and checks all of it.
struct CheckpointReader: ~Copyable {
    let path: String
    let header: CheckpointHeader
    private var window: FileWindow

    struct Totals {
        var chunks: UInt64 = 0
        var payloadBytes: UInt64 = 0
    }

    var fileBytes: Int { self.window.size }

    init(disk: any Disk, path: String) throws(LogError) {
        var window = try asLogError { () throws(DiskError) in try FileWindow(disk.open(path, .readOnly)) }
        let bytes = try Self.read(&window, at: 0, count: CheckpointHeader.bytes)
        self.header = try CheckpointHeader(decoding: bytes, path: path)
        self.path = path
        self.window = window
    }

    private static func read(
        _ window: inout FileWindow,
        at offset: Int,
        count: Int
    ) throws(LogError) -> UnsafeRawBufferPointer? {
        do {
            return try window.bytes(at: offset, count: count)
        } catch {
            throw LogError(error)
        }
    }

    /// Hands out the chunks in order; returns only when the file is whole to its last byte.
    mutating func forEachChunk(
        _ visit: (UnsafeRawBufferPointer, _ offset: Int) throws(LogError) -> Void
    ) throws(LogError) -> Totals {
        var totals = Totals()
        var offset = CheckpointHeader.bytes
        let context = self.header.frameChecksum
        while true {
            guard let start = try Self.read(&self.window, at: offset, count: CheckpointFrame.bytes) else {
                throw .damaged(self.path, offset, "the checkpoint ends before its footer")
            }
            guard let frame = CheckpointFrame(decoding: start),
                let bytes = try Self.read(&self.window, at: offset, count: frame.paddedBytes),
                bytes.integer(at: 4) == frame.checksum(bytes, context),
                frame.index == UInt32(truncatingIfNeeded: totals.chunks)
            else { throw .damaged(self.path, offset, "checksum mismatch in the checkpoint") }
            let payload = UnsafeRawBufferPointer(
                rebasing: bytes[CheckpointFrame.bytes..<CheckpointFrame.bytes + frame.payloadBytes]
            )
            switch frame.kind {
            case .chunk:
                totals.chunks += 1
                totals.payloadBytes += UInt64(frame.payloadBytes)
                try visit(payload, offset)
                offset += frame.paddedBytes
            case .footer:
                guard payload.count == CheckpointFrame.footerPayloadBytes, payload.integer(at: 0) == totals.chunks,
                    payload.integer(at: 8) == totals.payloadBytes, offset + frame.paddedBytes == self.window.size
                else { throw .damaged(self.path, offset, "the checkpoint's footer does not fit what precedes it") }
                return totals
            }
        }
    }
}
