/// The first bytes of a checkpoint file.
struct CheckpointHeader: Hashable {
    static let bytes = 40

    /// The log's salt.
    var salt: [UInt8]
    /// The checkpoint holds the state after all records up to and including this time.
    var time: Int64

    init(salt: [UInt8], time: Int64) {
        self.salt = salt
        self.time = time
    }

    func encoded() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.bytes)
        bytes.withUnsafeMutableBytes { buffer in
            buffer.put(LogFormat.checkpointMagic, at: 0)
            buffer.put(LogFormat.version, at: 8)
            buffer.put(self.salt, at: 16)
            buffer.put(self.time, at: 32)
            buffer.put(Self.checksum(UnsafeRawBufferPointer(buffer)), at: 12)
        }
        return bytes
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = Checksum()
        checksum.add(bytes[0..<12])
        checksum.add(bytes[16..<Self.bytes])
        return checksum.value
    }

    init(decoding bytes: UnsafeRawBufferPointer?, path: String) throws(LogError) {
        guard let bytes, bytes.count >= Self.bytes, bytes[0..<8].elementsEqual(LogFormat.checkpointMagic) else {
            throw .damaged(path, 0, "not a checkpoint")
        }
        let version: UInt32 = bytes.integer(at: 8)
        guard version == LogFormat.version else {
            throw LogError(
                .unknownVersion,
                file: path,
                offset: 8,
                detail: "checkpoint format \(version), this build knows 1"
            )
        }
        guard bytes.integer(at: 12) == Self.checksum(bytes) else {
            throw .damaged(path, 0, "checksum mismatch in the checkpoint's header")
        }
        self.salt = Array(bytes[16..<32])
        self.time = bytes.integer(at: 32)
    }

    /// Goes into the checksum of each frame.
    var frameChecksum: Checksum { Checksum(salt: self.salt, number: UInt64(bitPattern: self.time)) }
}

/// What stands before each piece of a checkpoint.
struct CheckpointFrame: Hashable {
    static let bytes = 16

    enum Kind: UInt32 {
        case chunk = 1
        /// The last frame; its payload counts the chunks and their bytes.
        case footer = 2
    }

    static let footerPayloadBytes = 16

    var kind: Kind
    var index: UInt32
    var payloadBytes: Int

    var paddedBytes: Int { LogFormat.roundUp(Self.bytes + self.payloadBytes, to: LogFormat.alignment) }

    init(kind: Kind, index: UInt32, payloadBytes: Int) {
        self.kind = kind
        self.index = index
        self.payloadBytes = payloadBytes
    }

    init?(decoding bytes: UnsafeRawBufferPointer) {
        guard let kind = Kind(rawValue: bytes.integer(at: 8)) else { return nil }
        self.kind = kind
        self.index = bytes.integer(at: 12)
        self.payloadBytes = Int(bytes.integer(at: 0) as UInt32)
    }

    func append(_ payload: UnsafeRawBufferPointer, to bytes: inout [UInt8], context: Checksum) {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: Self.bytes))
        bytes.append(contentsOf: payload)
        bytes.append(contentsOf: repeatElement(0, count: self.paddedBytes - Self.bytes - payload.count))
        bytes.withUnsafeMutableBytes { buffer in
            let frame = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
            frame.put(UInt32(self.payloadBytes), at: 0)
            frame.put(self.kind.rawValue, at: 8)
            frame.put(self.index, at: 12)
            frame.put(self.checksum(UnsafeRawBufferPointer(frame), context), at: 4)
        }
    }

    /// `frame` holds the header and the payload.
    func checksum(_ frame: UnsafeRawBufferPointer, _ context: Checksum) -> UInt32 {
        var checksum = context
        checksum.add(frame[0..<4])
        checksum.add(frame[8..<Self.bytes + self.payloadBytes])
        return checksum.value
    }
}
