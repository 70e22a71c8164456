/// What stands before the records of one write. It begins a page, so it is never split between sectors.
struct GroupHeader: Hashable {
    static let bytes = 32
    private static let magic: UInt32 = 0x5047_5242

    /// Records with their headers and padding; 0 in an end mark.
    var bodyBytes: Int
    var recordCount: Int
    var firstRecord: UInt64
    /// Everything before this offset was on stable storage when the group was written: damage there is no torn write.
    var syncedOffset: Int

    /// An end mark says that everything before it is stable; the next group overwrites it.
    var isEndMark: Bool { self.recordCount == 0 }

    /// How far the group reaches on disk.
    var paddedBytes: Int { LogFormat.roundUp(Self.bytes + self.bodyBytes, to: LogFormat.pageBytes) }

    func encode(into page: UnsafeMutableRawBufferPointer, segment: Checksum, offset: Int) {
        page.put(Self.magic, at: 0)
        page.put(UInt32(self.bodyBytes), at: 8)
        page.put(UInt32(self.recordCount), at: 12)
        page.put(self.firstRecord, at: 16)
        page.put(UInt64(self.syncedOffset), at: 24)
        page.put(Self.checksum(UnsafeRawBufferPointer(page), segment, offset), at: 4)
    }

    private static func checksum(_ page: UnsafeRawBufferPointer, _ segment: Checksum, _ offset: Int) -> UInt32 {
        var checksum = segment
        checksum.add(UInt64(offset))
        checksum.add(page[8..<Self.bytes])
        return checksum.value
    }

    init(bodyBytes: Int, recordCount: Int, firstRecord: UInt64, syncedOffset: Int) {
        self.bodyBytes = bodyBytes
        self.recordCount = recordCount
        self.firstRecord = firstRecord
        self.syncedOffset = syncedOffset
    }

    /// Nil when these bytes are no header that was written for this segment and offset.
    init?(decoding page: UnsafeRawBufferPointer, segment: Checksum, offset: Int) {
        guard page.count >= Self.bytes, page.integer(at: 0) == Self.magic,
            page.integer(at: 4) == Self.checksum(page, segment, offset),
            let syncedOffset = Int(exactly: page.integer(at: 24) as UInt64)
        else { return nil }
        self.bodyBytes = Int(page.integer(at: 8) as UInt32)
        self.recordCount = Int(page.integer(at: 12) as UInt32)
        self.firstRecord = page.integer(at: 16)
        self.syncedOffset = syncedOffset
    }
}
