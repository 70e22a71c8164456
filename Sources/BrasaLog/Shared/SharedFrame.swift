/// One frame of a shared log: a header of 56 bytes, little-endian, and records, or a part of one.
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 4 | `BRFR` |
/// | 4 | 4 | checksum of the salt and bytes 8 to the end |
/// | 8 | 2, 2 | version 1; flags |
/// | 12 | 4 | count of records that end here |
/// | 16 | 8 | position |
/// | 24 | 8 | number of the epoch |
/// | 32 | 8 | time of the newest record before |
/// | 40 | 8 | time of the last record that ends here, or as before |
/// | 48 | 4 | chain: checksum of the chain before (8 bytes), bytes 8 to 47, and the records |
/// | 52 | 4 | zero |
/// | 56 | | records: bytes (4), zero (4), time (8), payload, zeros up to a multiple of 8 |
struct SharedFrame {
    struct Flags: OptionSet {
        let rawValue: UInt16
        /// The first of an epoch. What was unfinished before never ends.
        static let isOpening = Flags(rawValue: 1)
        static let beginsInRecord = Flags(rawValue: 2)
        static let endsInRecord = Flags(rawValue: 4)
    }

    var flags: Flags = []
    var recordCount: UInt32 = 0
    var position: LogPosition
    var epoch: UInt64
    var previousTime: Int64
    var time: Int64
    /// Records, or a part of one.
    var body: [UInt8] = []

    static let headerBytes = 56
    static let recordHeaderBytes = 16
    private static let magic = Array("BRFR".utf8)
    private static let version: UInt16 = 1

    static func paddedRecordBytes(_ payloadBytes: Int) -> Int {
        LogFormat.roundUp(Self.recordHeaderBytes + payloadBytes, to: 8)
    }

    /// Behind those that are there.
    static func append(_ record: QueuedRecord, to body: inout [UInt8]) {
        let start = body.count
        body.append(contentsOf: repeatElement(0, count: Self.paddedRecordBytes(record.payloadBytes)))
        body.withUnsafeMutableBytes { bytes in
            let bytes = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
            bytes.put(UInt32(truncatingIfNeeded: record.payloadBytes), at: 0)
            bytes.put(record.time, at: 8)
            let end = Self.recordHeaderBytes + record.payloadBytes
            record.payload.write(into: UnsafeMutableRawBufferPointer(rebasing: bytes[Self.recordHeaderBytes..<end]))
        }
    }

    /// The frame's bytes, and the chain with it.
    func encoded(salt: [UInt8], chain: UInt32) -> (bytes: [UInt8], chain: UInt32) {
        var bytes = [UInt8](repeating: 0, count: Self.headerBytes) + self.body
        let next = bytes.withUnsafeMutableBytes { bytes -> UInt32 in
            bytes.put(Self.magic, at: 0)
            bytes.put(Self.version, at: 8)
            bytes.put(self.flags.rawValue, at: 10)
            bytes.put(self.recordCount, at: 12)
            bytes.put(self.position.index, at: 16)
            bytes.put(self.epoch, at: 24)
            bytes.put(self.previousTime, at: 32)
            bytes.put(self.time, at: 40)
            let next = Self.chain(UnsafeRawBufferPointer(bytes), after: chain)
            bytes.put(next, at: 48)
            bytes.put(Self.checksum(UnsafeRawBufferPointer(bytes), salt), at: 4)
            return next
        }
        return (bytes, next)
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, _ salt: [UInt8]) -> UInt32 {
        var checksum = Checksum()
        salt.withUnsafeBytes { checksum.add($0) }
        checksum.add(bytes[8...])
        return checksum.value
    }

    private static func chain(_ bytes: UnsafeRawBufferPointer, after chain: UInt32) -> UInt32 {
        var checksum = Checksum()
        checksum.add(UInt64(chain))
        checksum.add(bytes[8..<48])
        checksum.add(bytes[Self.headerBytes...])
        return checksum.value
    }

    /// Throws when these are not the bytes that were written for this place.
    init(
        decoding bytes: [UInt8],
        salt: [UInt8],
        at position: LogPosition,
        chain: UInt32
    ) throws(LogError) {
        func damaged(_ detail: String) -> LogError {
            LogError(.damaged, detail: "frame \(position.index) of the shared log: \(detail)")
        }
        guard bytes.count >= Self.headerBytes, bytes.starts(with: Self.magic) else { throw damaged("not a frame") }
        let flaw: String? = bytes.withUnsafeBytes { bytes in
            if bytes.integer(at: 4) != Self.checksum(bytes, salt) { return "checksum mismatch" }
            if bytes.integer(at: 8) != Self.version { return "of an unknown version" }
            if bytes.integer(at: 16) != position.index { return "at the wrong place" }
            if bytes.integer(at: 48) != Self.chain(bytes, after: chain) { return "does not follow the one before" }
            return nil
        }
        if let flaw { throw damaged(flaw) }
        self = bytes.withUnsafeBytes { bytes in
            SharedFrame(
                flags: Flags(rawValue: bytes.integer(at: 10)),
                recordCount: bytes.integer(at: 12),
                position: position,
                epoch: bytes.integer(at: 24),
                previousTime: bytes.integer(at: 32),
                time: bytes.integer(at: 40),
                body: Array(bytes[Self.headerBytes...])
            )
        }
    }

    private init(
        flags: Flags,
        recordCount: UInt32,
        position: LogPosition,
        epoch: UInt64,
        previousTime: Int64,
        time: Int64,
        body: [UInt8]
    ) {
        self.init(position: position, epoch: epoch, previousTime: previousTime, time: time)
        self.flags = flags
        self.recordCount = recordCount
        self.body = body
    }

    init(position: LogPosition, epoch: UInt64, previousTime: Int64, time: Int64) {
        self.position = position
        self.epoch = epoch
        self.previousTime = previousTime
        self.time = time
    }

    /// What the chain is behind these bytes, which were decoded.
    static func chain(of bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { $0.integer(at: 48) } }
}
