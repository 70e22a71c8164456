import BrasaPlatform

/// Walks through the groups of one segment and tells a torn end from damage.
///
/// A group is written only after the one before it was synced (or says otherwise in its `syncedOffset`). So when a group
/// is not whole, a header of a later group that calls this place synced proves that stable bytes changed: damage.
/// Without such a proof nothing behind this place was ever acknowledged as stable: a torn write, which is cut off.
struct SegmentReader: ~Copyable {
    /// One whole group, its records checked.
    struct Group {
        let offset: Int
        let header: GroupHeader
        let records: GroupRecords
    }

    /// Where the groups end.
    struct End {
        var offset: Int
        var nextRecord: UInt64
        /// Bytes of an unfinished write stand behind the end.
        var isTorn: Bool
    }

    let path: String
    let header: SegmentHeader
    private let checksum: Checksum
    private var window: FileWindow

    var fileBytes: Int { self.window.size }

    init(disk: any Disk, path: String) throws(LogError) {
        var window = try asLogError { () throws(DiskError) in try FileWindow(disk.open(path, .readOnly)) }
        let size = window.size
        let page: UnsafeRawBufferPointer?
        do {
            page = try window.bytes(at: 0, count: min(LogFormat.pageBytes, size))
        } catch {
            throw LogError(error)
        }
        let header = try SegmentHeader(decoding: page ?? UnsafeRawBufferPointer(start: nil, count: 0), path: path)
        if size < LogFormat.pageBytes { throw .damaged(path, size, "the segment ends within its header") }
        self.path = path
        self.header = header
        self.checksum = Checksum(salt: header.salt, number: header.number)
        self.window = window
    }

    /// `sealedEnd`: where the next segment says that this one ends, if there is a next one; everything up to there must
    /// be whole.
    mutating func scan(
        sealedEnd: Int?,
        _ visit: (Group) throws(LogError) -> Void
    ) throws(LogError) -> End {
        var offset = LogFormat.pageBytes
        var nextRecord = self.header.firstRecord
        while offset != sealedEnd {
            let group: Group
            do throws(Flaw) {
                group = try self.group(at: offset, expecting: nextRecord)
            } catch {
                if case .disk(let error) = error { throw LogError(error) }
                if sealedEnd != nil { throw .damaged(self.path, error.offset(from: offset), error.text) }
                return try self.end(at: offset, nextRecord: nextRecord, flaw: error)
            }
            if group.header.isEndMark {
                if sealedEnd != nil { throw .damaged(self.path, offset, "an end mark within the log") }
                return try self.end(at: offset, nextRecord: nextRecord, flaw: .endMark)
            }
            try visit(group)
            offset += group.header.paddedBytes
            nextRecord &+= UInt64(group.header.recordCount)
            if let sealedEnd, offset > sealedEnd {
                throw .damaged(self.path, offset, "the next segment says that this one ends at \(sealedEnd)")
            }
        }
        return End(offset: offset, nextRecord: nextRecord, isTorn: false)
    }

    /// Why there is no group here.
    private enum Flaw: Error {
        case disk(DiskError)
        case noHeader
        case endMark
        case cutShort
        case record(Int)
        case misplaced

        var text: String {
            switch self {
            case .disk(let error): error.description
            case .noHeader, .endMark: "no valid group header where one must be"
            case .cutShort: "the file ends within a group"
            case .record: "checksum mismatch in a record"
            case .misplaced: "records are missing before this group"
            }
        }

        var isEndMark: Bool { if case .endMark = self { true } else { false } }

        func offset(from group: Int) -> Int {
            if case .record(let offset) = self { group + GroupHeader.bytes + offset } else { group }
        }
    }

    private mutating func group(at offset: Int, expecting nextRecord: UInt64) throws(Flaw) -> Group {
        guard let header = try self.groupHeader(at: offset) else { throw .noHeader }
        if header.firstRecord != nextRecord { throw .misplaced }
        guard let bytes = try self.bytes(at: offset, count: header.paddedBytes) else { throw .cutShort }
        let body = UnsafeRawBufferPointer(rebasing: bytes[GroupHeader.bytes..<GroupHeader.bytes + header.bodyBytes])
        let records = GroupRecords(body: body, header: header, segment: self.checksum)
        if let damage = records.firstDamage() { throw .record(damage) }
        return Group(offset: offset, header: header, records: records)
    }

    private mutating func groupHeader(at offset: Int) throws(Flaw) -> GroupHeader? {
        guard let bytes = try self.bytes(at: offset, count: GroupHeader.bytes) else { return nil }
        return GroupHeader(decoding: bytes, segment: self.checksum, offset: offset)
    }

    private mutating func bytes(at offset: Int, count: Int) throws(Flaw) -> UnsafeRawBufferPointer? {
        do {
            return try self.window.bytes(at: offset, count: count)
        } catch {
            throw .disk(error)
        }
    }

    /// Nothing more at `offset`, unless something behind it proves that there was.
    private mutating func end(at offset: Int, nextRecord: UInt64, flaw: Flaw) throws(LogError) -> End {
        if case .misplaced = flaw { throw .damaged(self.path, offset, flaw.text) }
        var isTorn = false
        var page = offset
        do throws(Flaw) {
            while let bytes = try self.bytes(at: page, count: min(LogFormat.pageBytes, self.window.size - page)),
                !bytes.isEmpty
            {
                if page > offset,
                    let later = GroupHeader(decoding: bytes, segment: self.checksum, offset: page),
                    later.syncedOffset > offset
                {
                    throw .noHeader
                }
                let rest = page == offset && flaw.isEndMark ? bytes[GroupHeader.bytes...] : bytes[...]
                isTorn = isTorn || !UnsafeRawBufferPointer(rebasing: rest).isZero
                page += bytes.count
            }
        } catch {
            if case .disk(let error) = error { throw LogError(error) }
            throw .damaged(
                self.path,
                flaw.offset(from: offset),
                "\(flaw.text), and what was written later is whole (at \(page))"
            )
        }
        return End(offset: offset, nextRecord: nextRecord, isTorn: isTorn)
    }

    /// The records of the group that a scan found at `offset`, copied.
    mutating func copy(groupAt offset: Int) throws(LogError) -> [QueuedRecord] {
        var copies: [QueuedRecord] = []
        let header: GroupHeader?
        do throws(Flaw) {
            header = try self.groupHeader(at: offset)
            if let header {
                let group = try self.group(at: offset, expecting: header.firstRecord)
                try? group.records.forEach { time, payload in
                    copies.append(QueuedRecord(time: time, payload: Array(payload), waiter: nil))
                }
            }
        } catch {
            throw .damaged(self.path, offset, error.text)
        }
        return copies
    }
}
