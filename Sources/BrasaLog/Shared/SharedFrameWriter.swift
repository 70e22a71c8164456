/// Makes frames of records, one behind the other. A record that is larger than a frame goes over several; no other frame
/// holds a part of one.
struct SharedFrameWriter {
    private let salt: [UInt8]
    private let bodyBytesMax: Int
    private let epoch: UInt64
    private(set) var next: LogPosition
    private var chain: UInt32
    private var time: Int64

    init(salt: [UInt8], frameBytesMax: Int, epoch: UInt64, next: LogPosition, chain: UInt32, time: Int64) {
        self.salt = salt
        self.bodyBytesMax = frameBytesMax - SharedFrame.headerBytes
        self.epoch = epoch
        self.next = next
        self.chain = chain
        self.time = time
    }

    mutating func opening() -> [UInt8] { self.frame(.isOpening, [], count: 0, time: self.time) }

    mutating func frames(_ records: ArraySlice<QueuedRecord>) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var body: [UInt8] = []
        var (count, time) = (UInt32(0), self.time)
        for record in records where !record.isBarrier {
            let bytes = SharedFrame.paddedRecordBytes(record.payloadBytes)
            if !body.isEmpty, body.count + bytes > self.bodyBytesMax {
                frames.append(self.frame([], body, count: count, time: time))
                (body, count) = ([], 0)
            }
            SharedFrame.append(record, to: &body)
            (count, time) = (count + 1, record.time)
            if bytes > self.bodyBytesMax {
                frames += self.parts(of: body, time: time)
                (body, count) = ([], 0)
            }
        }
        if !body.isEmpty { frames.append(self.frame([], body, count: count, time: time)) }
        return frames
    }

    private mutating func parts(of record: [UInt8], time: Int64) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var rest = record[...]
        while !rest.isEmpty {
            let part = rest.prefix(self.bodyBytesMax)
            rest = rest.dropFirst(part.count)
            var flags: SharedFrame.Flags = []
            if part.startIndex > record.startIndex { flags.insert(.beginsInRecord) }
            if !rest.isEmpty { flags.insert(.endsInRecord) }
            let count: UInt32 = rest.isEmpty ? 1 : 0
            frames.append(self.frame(flags, Array(part), count: count, time: rest.isEmpty ? time : self.time))
        }
        return frames
    }

    private mutating func frame(
        _ flags: SharedFrame.Flags,
        _ body: [UInt8],
        count: UInt32,
        time: Int64
    ) -> [UInt8] {
        var frame = SharedFrame(position: self.next, epoch: self.epoch, previousTime: self.time, time: time)
        frame.flags = flags
        frame.recordCount = count
        frame.body = body
        let encoded = frame.encoded(salt: self.salt, chain: self.chain)
        self.chain = encoded.chain
        self.next = self.next.next
        self.time = time
        return encoded.bytes
    }
}

/// Reads the records of frames in their order, and holds each frame against the one before.
struct SharedFrameReader {
    private let salt: [UInt8]
    private(set) var next = LogPosition(1)
    private(set) var chain: UInt32 = 0
    private(set) var time = Int64.min
    private var epoch: UInt64 = 0
    /// Of a record that is not whole yet.
    private var unfinished: [UInt8] = []

    /// Whether the last frame ended within a record.
    var isInRecord: Bool { !self.unfinished.isEmpty }

    init(salt: [UInt8]) {
        self.salt = salt
    }

    mutating func read(
        _ bytes: [UInt8],
        _ record: (Int64, UnsafeRawBufferPointer) throws(LogError) -> Void
    ) throws(LogError) {
        let frame = try SharedFrame(decoding: bytes, salt: self.salt, at: self.next, chain: self.chain)
        let isOpening = frame.flags.contains(.isOpening)
        guard frame.previousTime == self.time, isOpening ? frame.epoch > self.epoch : frame.epoch == self.epoch else {
            throw self.damaged("not of its epoch")
        }
        // Its leader ended before it did, and has told nobody that it was durable.
        if isOpening { self.unfinished = [] }
        guard self.unfinished.isEmpty != frame.flags.contains(.beginsInRecord) else {
            throw self.damaged("a record's beginning is missing")
        }
        // In place: a copy for each of a long record's frames would be as much as the square of their number.
        self.unfinished += frame.body
        if frame.flags.contains(.endsInRecord) {
            guard self.isCutShort else { throw self.damaged("a record goes on behind its end") }
        } else {
            let body = self.unfinished
            self.unfinished = []
            try self.records(in: body, record)
            guard self.time == frame.time else { throw self.damaged("the last record's time is another") }
        }
        self.epoch = frame.epoch
        self.chain = SharedFrame.chain(of: bytes)
        self.next = self.next.next
    }

    /// Whether what is unfinished is less than its record says that it has, which is the bound of what is gathered.
    private var isCutShort: Bool {
        guard self.unfinished.count >= SharedFrame.recordHeaderBytes else { return true }
        let count: UInt32 = self.unfinished.withUnsafeBytes { $0.integer(at: 0) }
        return self.unfinished.count < SharedFrame.paddedRecordBytes(Int(count))
    }

    private func damaged(_ detail: String) -> LogError {
        LogError(.damaged, detail: "frame \(self.next.index) of the shared log: \(detail)")
    }

    private mutating func records(
        in body: [UInt8],
        _ record: (Int64, UnsafeRawBufferPointer) throws(LogError) -> Void
    ) throws(LogError) {
        var offset = 0
        while offset < body.count {
            guard body.count - offset >= SharedFrame.recordHeaderBytes else {
                throw self.damaged("a record is cut short")
            }
            let (count, time) = body.withUnsafeBytes { bytes -> (UInt32, Int64) in
                (bytes.integer(at: offset), bytes.integer(at: offset + 8))
            }
            let padded = SharedFrame.paddedRecordBytes(Int(count))
            guard padded <= body.count - offset, time > self.time else { throw self.damaged("a record is cut short") }
            let start = offset + SharedFrame.recordHeaderBytes
            let payload = Array(body[start..<start + Int(count)])
            let result = payload.withUnsafeBytes { bytes -> Result<Void, LogError> in
                do throws(LogError) {
                    return .success(try record(time, bytes))
                } catch {
                    return .failure(error)
                }
            }
            try result.get()
            self.time = time
            offset += padded
        }
    }
}
