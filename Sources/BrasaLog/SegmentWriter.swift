import BrasaPlatform

/// The segment at the log's end. Used by one thread at a time.
struct SegmentWriter: ~Copyable, Sendable {
    private let folder: LogFolder
    private let durability: Durability
    private let segmentBytes: Int
    private let preparer: SegmentPreparer
    private var file: any DiskFile
    private(set) var header: SegmentHeader
    private var checksum: Checksum
    private var fileBytes: Int
    private var offset: Int
    /// Everything before this offset is on stable storage.
    private var syncedOffset: Int
    private var nextRecord: UInt64
    private var buffer = GroupBuffer()

    /// Makes the segment `header` with `firstGroup` in it, under its name and stable. Nothing of it is seen before.
    init(
        folder: LogFolder,
        durability: Durability,
        segmentBytes: Int,
        firstSegmentBytes: Int,
        preparer: SegmentPreparer,
        header: SegmentHeader,
        firstGroup: ArraySlice<QueuedRecord>
    ) throws(LogError) {
        var buffer = GroupBuffer()
        let checksum = Checksum(salt: header.salt, number: header.number)
        var end = LogFormat.pageBytes
        var group = UnsafeRawBufferPointer(start: nil, count: 0)
        if !firstGroup.isEmpty {
            group = buffer.encode(
                firstGroup,
                firstRecord: header.firstRecord,
                syncedOffset: end,
                segment: checksum,
                offset: end
            )
            end += group.count
        }
        let spare = try preparer.take(bytes: max(firstSegmentBytes, end + 2 * LogFormat.pageBytes))
        try Self.publish(header, group, spare, folder)
        self.folder = folder
        self.durability = durability
        self.segmentBytes = segmentBytes
        self.preparer = preparer
        self.file = spare.file
        self.header = header
        self.checksum = checksum
        self.fileBytes = spare.bytes
        self.offset = end
        self.syncedOffset = end
        self.nextRecord = header.firstRecord + UInt64(firstGroup.count)
        self.buffer = buffer
    }

    /// Makes a segment of the spare, with the group in it if it is not empty. When the disk is full, which is `.diskFull`,
    /// there is none.
    private static func publish(
        _ header: SegmentHeader,
        _ group: UnsafeRawBufferPointer,
        _ spare: SegmentPreparer.Spare,
        _ folder: LogFolder
    ) throws(LogError) {
        do throws(DiskError) {
            if !group.isEmpty { try spare.file.write(group, at: LogFormat.pageBytes) }
            try Self.write(header, to: spare.file)
            try spare.file.syncData()
            try folder.disk.rename(spare.path, to: folder.segmentPath(header.number))
        } catch {
            spare.discard(from: folder.disk)
            throw LogError(error)
        }
        do throws(DiskError) {
            try folder.disk.syncDirectory(folder.directory)
        } catch {
            throw LogError(untrusted: error)
        }
    }

    private static func write(_ header: SegmentHeader, to file: any DiskFile) throws(DiskError) {
        var result: Result<Void, DiskError> = .success(())
        withUnsafeTemporaryAllocation(byteCount: LogFormat.pageBytes, alignment: LogFormat.pageBytes) { page in
            page.initializeMemory(as: UInt8.self, repeating: 0)
            header.encode(into: page)
            do throws(DiskError) {
                try file.write(UnsafeRawBufferPointer(page), at: 0)
            } catch {
                result = .failure(error)
            }
        }
        try result.get()
    }

    /// True when more than half of the segment is used: time to have the next one ready.
    var wantsSpare: Bool { self.offset > self.fileBytes / 2 }

    /// What groups may still take. A page is kept free for the end mark.
    var roomBytes: Int { max(self.fileBytes - self.offset - LogFormat.pageBytes, 0) }

    /// Writes the records as one group, and syncs it when the mode says so. `previousTime`: of the record before them.
    /// When the disk is full, which is `.diskFull`, nothing of them is there. Returns the bytes that the group takes on disk.
    /// `onRotation` hears of a new segment as soon as it has its name, also where the group then finds no room in it.
    mutating func write(
        _ records: ArraySlice<QueuedRecord>,
        previousTime: Int64,
        onRotation: (SegmentHeader) -> Void
    ) throws(LogError) -> Int {
        let bytes = LogFormat.roundUp(GroupHeader.bytes + records.bodyBytes, to: LogFormat.pageBytes)
        if bytes > self.roomBytes {
            try self.rotate(groupBytes: bytes, previousTime: previousTime)
            onRotation(self.header)
        }
        let isSyncing = self.durability == .fsync
        let group = self.buffer.encode(
            records,
            firstRecord: self.nextRecord,
            syncedOffset: self.syncedOffset,
            segment: self.checksum,
            offset: self.offset
        )
        do throws(DiskError) {
            try self.file.write(group, at: self.offset)
        } catch {
            if error.isFull { try self.cutOff() }
            throw LogError(error)
        }
        if isSyncing { try self.syncFile() }
        self.offset += bytes
        self.nextRecord += UInt64(records.recordCount)
        if isSyncing { self.syncedOffset = self.offset }
        return bytes
    }

    private mutating func rotate(groupBytes: Int, previousTime: Int64) throws(LogError) {
        try self.sync()
        let spare = try self.preparer.take(bytes: max(self.segmentBytes, groupBytes + 2 * LogFormat.pageBytes))
        // One that holds no group is replaced: a disk that is full again and again leaves no trail of files.
        let isEmpty = self.offset == LogFormat.pageBytes
        let header =
            isEmpty
            ? self.header
            : SegmentHeader(
                salt: self.header.salt,
                number: self.header.number + 1,
                firstRecord: self.nextRecord,
                previousTime: previousTime,
                previousEnd: UInt64(self.offset)
            )
        try Self.publish(header, UnsafeRawBufferPointer(start: nil, count: 0), spare, self.folder)
        self.file.close()
        self.file = spare.file
        self.header = header
        self.checksum = Checksum(salt: header.salt, number: header.number)
        self.fileBytes = spare.bytes
        self.offset = LogFormat.pageBytes
        self.syncedOffset = self.offset
    }

    /// Takes away what a full disk took of a group, so that nobody finds it at the next start. It can have been there:
    /// systems that copy on write need space to write to a file that has it. The next group needs a new segment.
    private mutating func cutOff() throws(LogError) {
        do throws(DiskError) {
            try self.file.truncate(to: self.offset)
        } catch {
            throw LogError(untrusted: error)
        }
        try self.syncFile()
        self.syncedOffset = self.offset
        self.fileBytes = self.offset
    }

    private mutating func sync() throws(LogError) {
        if self.syncedOffset == self.offset { return }
        try self.syncFile()
        self.syncedOffset = self.offset
    }

    private func syncFile() throws(LogError) {
        do throws(DiskError) {
            try self.file.syncData()
        } catch {
            throw LogError(untrusted: error)
        }
    }

    /// Leaves the proof that the last group was synced, for when no later group follows: with it, damage to that group
    /// cannot be taken for a torn write. It need not be synced, costs no latency, and the next group overwrites it. A full
    /// disk has none.
    mutating func writeEndMark() throws(LogError) {
        guard self.syncedOffset == self.offset, self.offset + LogFormat.pageBytes <= self.fileBytes else { return }
        let mark = self.buffer.encode(
            [],
            firstRecord: self.nextRecord,
            syncedOffset: self.offset,
            segment: self.checksum,
            offset: self.offset
        )
        do throws(DiskError) {
            try self.file.write(mark, at: self.offset)
        } catch {
            if !error.isFull { throw LogError(error) }
        }
    }

    /// The last call: everything stable, end mark included, and the file closed.
    mutating func close() throws(LogError) {
        defer { self.file.close() }
        try self.sync()
        try self.writeEndMark()
        try self.syncFile()
    }
}
