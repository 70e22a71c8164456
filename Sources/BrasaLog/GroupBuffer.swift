/// The bytes of one group, made ready for one write. Reused from group to group; holds at most one group.
///
/// Pages are aligned and zero behind the records, so that equal records are equal bytes on disk.
///
/// `@unchecked Sendable`: the only owner of its memory, and it cannot be copied, so whoever has it is alone with it.
struct GroupBuffer: ~Copyable, @unchecked Sendable {
    private var storage: UnsafeMutableRawBufferPointer

    init() {
        self.storage = .allocate(byteCount: 64 << 10, alignment: LogFormat.pageBytes)
    }

    deinit {
        self.storage.deallocate()
    }

    /// The bytes are valid until the next call.
    mutating func encode(
        _ records: ArraySlice<QueuedRecord>,
        firstRecord: UInt64,
        syncedOffset: Int,
        segment: Checksum,
        offset: Int
    ) -> UnsafeRawBufferPointer {
        let header = GroupHeader(
            bodyBytes: records.bodyBytes,
            recordCount: records.recordCount,
            firstRecord: firstRecord,
            syncedOffset: syncedOffset
        )
        self.reserve(header.paddedBytes)
        let group = UnsafeMutableRawBufferPointer(rebasing: self.storage[..<header.paddedBytes])
        header.encode(into: group, segment: segment, offset: offset)
        var end = GroupHeader.bytes
        var number = firstRecord
        for index in records.indices where !records[index].isBarrier {
            let slot = UnsafeMutableRawBufferPointer(rebasing: group[end..<end + records[index].paddedBytes])
            RecordFrame.encode(
                records[index].payload,
                bytes: records[index].payloadBytes,
                time: records[index].time,
                number: number,
                segment: segment,
                into: slot
            )
            end += slot.count
            number += 1
        }
        let padding = UnsafeMutableRawBufferPointer(rebasing: group[end...])
        padding.initializeMemory(as: UInt8.self, repeating: 0)
        return UnsafeRawBufferPointer(group)
    }

    private mutating func reserve(_ count: Int) {
        if self.storage.count >= count { return }
        self.storage.deallocate()
        self.storage = .allocate(byteCount: max(count, self.storage.count * 2), alignment: LogFormat.pageBytes)
    }
}

/// One record inside a group: length, checksum, time, payload, zeros up to a multiple of 8.
enum RecordFrame {
    static func encode(
        _ payload: any LogPayload,
        bytes: Int,
        time: Int64,
        number: UInt64,
        segment: Checksum,
        into slot: UnsafeMutableRawBufferPointer
    ) {
        slot.put(UInt32(bytes), at: 0)
        slot.put(time, at: 8)
        let end = LogFormat.recordHeaderBytes + bytes
        payload.write(into: UnsafeMutableRawBufferPointer(rebasing: slot[LogFormat.recordHeaderBytes..<end]))
        UnsafeMutableRawBufferPointer(rebasing: slot[end...]).initializeMemory(as: UInt8.self, repeating: 0)
        slot.put(
            Self.checksum(UnsafeRawBufferPointer(slot), length: bytes, number, segment),
            at: 4
        )
    }

    static func checksum(
        _ record: UnsafeRawBufferPointer,
        length: Int,
        _ number: UInt64,
        _ segment: Checksum
    ) -> UInt32 {
        var checksum = segment
        checksum.add(number)
        checksum.add(record[0..<4])
        checksum.add(record[8..<LogFormat.recordHeaderBytes + length])
        return checksum.value
    }
}

/// The records of a group whose bytes are all there, checked one by one.
struct GroupRecords {
    let body: UnsafeRawBufferPointer
    let header: GroupHeader
    let segment: Checksum

    /// Offset in the body of the first record that is not what was written; nil when all are whole.
    func firstDamage() -> Int? {
        var offset = 0
        for index in 0..<self.header.recordCount {
            guard let record = self.record(at: offset),
                self.body.integer(at: offset + 4)
                    == RecordFrame.checksum(
                        UnsafeRawBufferPointer(rebasing: self.body[offset...]),
                        length: record.payload.count,
                        self.header.firstRecord &+ UInt64(index),
                        self.segment
                    )
            else { return offset }
            offset += LogFormat.paddedRecordBytes(record.payload.count)
        }
        return offset == self.body.count ? nil : offset
    }

    /// Call only after `firstDamage` found none.
    func forEach(_ visit: (Int64, UnsafeRawBufferPointer) throws(LogError) -> Void) throws(LogError) {
        var offset = 0
        while let record = self.record(at: offset) {
            try visit(record.time, record.payload)
            offset += LogFormat.paddedRecordBytes(record.payload.count)
        }
    }

    private func record(at offset: Int) -> (time: Int64, payload: UnsafeRawBufferPointer)? {
        let start = offset + LogFormat.recordHeaderBytes
        guard start <= self.body.count else { return nil }
        let length = Int(self.body.integer(at: offset) as UInt32)
        guard offset + LogFormat.paddedRecordBytes(length) <= self.body.count else { return nil }
        return (self.body.integer(at: offset + 8), UnsafeRawBufferPointer(rebasing: self.body[start..<start + length]))
    }
}
