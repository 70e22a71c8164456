import BrasaBytes

/// Writes protobuf from the last byte to the first, so that each length is known when its turn comes.
struct BackwardWriter {
    private var storage: [UInt8]
    private var start: Int

    init(capacity: Int) {
        self.storage = [UInt8](repeating: 0, count: capacity)
        self.start = capacity
    }

    /// Bytes written so far: a mark for `length(since:)`.
    var count: Int { self.storage.count - self.start }

    mutating func byte(_ byte: UInt8) {
        self.reserve(1)
        self.start &-= 1
        self.storage[self.start] = byte
    }

    mutating func bytes(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        self.reserve(bytes.count)
        self.start -= bytes.count
        let start = self.start
        self.storage.withUnsafeMutableBytes {
            UnsafeMutableRawBufferPointer(rebasing: $0[start..<(start + bytes.count)]).copyMemory(from: bytes)
        }
    }

    mutating func bytes(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { self.bytes($0) }
    }

    mutating func bytes(_ bytes: BytePart) {
        bytes.withUnsafeBytes { self.bytes($0) }
    }

    mutating func varint(_ number: UInt64) {
        if number < 0x80 { return self.byte(UInt8(number)) }
        let length = Varint.size(number)
        self.reserve(length)
        self.start -= length
        var position = self.start
        self.storage.withUnsafeMutableBytes { Varint.write(number, to: $0, at: &position) }
    }

    mutating func fixed64(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { self.bytes($0) }
    }

    mutating func tag(_ field: UInt32, _ type: UInt8) {
        self.varint(UInt64(field) << 3 | UInt64(type))
    }

    /// The length and tag before a payload that began at `mark`.
    mutating func header(_ field: UInt32, since mark: Int) {
        self.varint(UInt64(self.count - mark))
        self.tag(field, WireReader.Tag.lengthDelimited)
    }

    consuming func finish() -> [UInt8] {
        self.start == 0 ? self.storage : Array(self.storage[self.start...])
    }

    /// The same for what is kept.
    consuming func finishedString() -> ByteString { ByteString(self.storage[self.start...]) }

    private mutating func reserve(_ count: Int) {
        guard count > self.start else { return }
        let used = self.count
        let grown = max(64, 2 * self.storage.count, used + count)
        var storage = [UInt8](repeating: 0, count: grown)
        storage.replaceSubrange((grown - used)..., with: self.storage[self.start...])
        self.storage = storage
        self.start = grown - used
    }
}
