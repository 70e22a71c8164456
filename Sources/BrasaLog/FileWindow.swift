import BrasaPlatform

/// Reads a file from front to back in large blocks and lends slices of them.
struct FileWindow: ~Copyable {
    static let blockBytes = 2 << 20

    private let file: any DiskFile
    let size: Int
    private var buffer: UnsafeMutableRawBufferPointer
    private var start = 0
    private var count = 0

    init(_ file: any DiskFile) throws(DiskError) {
        self.file = file
        self.size = try file.size()
        self.buffer = .allocate(byteCount: max(1, min(Self.blockBytes, self.size)), alignment: LogFormat.pageBytes)
    }

    deinit {
        self.buffer.deallocate()
    }

    /// Nil when the file ends before. Valid until the next call. Grows to `count` at most, which never exceeds the file.
    mutating func bytes(at offset: Int, count: Int) throws(DiskError) -> UnsafeRawBufferPointer? {
        guard offset >= 0, count >= 0, offset <= self.size, count <= self.size - offset else { return nil }
        if offset < self.start || offset + count > self.start + self.count {
            try self.fill(at: offset, count: count)
            if self.count < count { return nil }
        }
        let from = offset - self.start
        return UnsafeRawBufferPointer(rebasing: self.buffer[from..<from + count])
    }

    private mutating func fill(at offset: Int, count: Int) throws(DiskError) {
        if self.buffer.count < count {
            self.buffer.deallocate()
            self.buffer = .allocate(byteCount: count, alignment: LogFormat.pageBytes)
        }
        self.start = offset
        self.count = 0
        let wanted = min(self.buffer.count, self.size - offset)
        self.count = try self.file.readFully(
            into: UnsafeMutableRawBufferPointer(rebasing: self.buffer[..<wanted]),
            at: offset
        )
    }
}
