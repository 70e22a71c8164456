/// The first page of a segment. Written and synced before the file gets its name, so a named segment has a whole one.
struct SegmentHeader: Hashable {
    static let bytes = 64

    /// Random, the same in all files of one log.
    var salt: [UInt8]
    var number: UInt64
    /// Number of the first record in this segment; records are counted through all segments.
    var firstRecord: UInt64
    /// Time that all records before this segment are at or below.
    var previousTime: Int64
    /// Where the groups of the segment before this one end; what stands behind is no part of the log. 0 in the first.
    var previousEnd: UInt64

    func encode(into page: UnsafeMutableRawBufferPointer) {
        page.put(LogFormat.segmentMagic, at: 0)
        page.put(LogFormat.version, at: 8)
        page.put(self.salt, at: 16)
        page.put(self.number, at: 32)
        page.put(self.firstRecord, at: 40)
        page.put(self.previousTime, at: 48)
        page.put(self.previousEnd, at: 56)
        page.put(Self.checksum(UnsafeRawBufferPointer(page)), at: 12)
    }

    private static func checksum(_ page: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = Checksum()
        checksum.add(page[0..<12])
        checksum.add(page[16..<Self.bytes])
        return checksum.value
    }

    init(salt: [UInt8], number: UInt64, firstRecord: UInt64, previousTime: Int64, previousEnd: UInt64) {
        self.salt = salt
        self.number = number
        self.firstRecord = firstRecord
        self.previousTime = previousTime
        self.previousEnd = previousEnd
    }

    /// `page` may be shorter than a page when the file is.
    init(decoding page: UnsafeRawBufferPointer, path: String) throws(LogError) {
        guard page.count >= Self.bytes, page[0..<8].elementsEqual(LogFormat.segmentMagic) else {
            throw .damaged(path, 0, "not a log segment")
        }
        let version: UInt32 = page.integer(at: 8)
        guard version == LogFormat.version else {
            throw LogError(
                .unknownVersion,
                file: path,
                offset: 8,
                detail: "segment format \(version), this build knows 1"
            )
        }
        guard page.integer(at: 12) == Self.checksum(page) else {
            throw .damaged(path, 0, "checksum mismatch in the segment's header")
        }
        self.salt = Array(page[16..<32])
        self.number = page.integer(at: 32)
        self.firstRecord = page.integer(at: 40)
        self.previousTime = page.integer(at: 48)
        self.previousEnd = page.integer(at: 56)
    }
}
