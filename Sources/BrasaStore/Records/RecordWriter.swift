/// Gathers a payload whose length is not known before.
struct RecordWriter: RecordSink {
    private(set) var bytes: [UInt8]

    init(capacity: Int) {
        self.bytes = []
        self.bytes.reserveCapacity(capacity)
    }

    mutating func append(_ byte: UInt8) { self.bytes.append(byte) }
    mutating func append(contentsOf bytes: [UInt8]) { self.bytes.append(contentsOf: bytes) }
    mutating func append(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }

    static func creation() -> [UInt8] { [RecordKind.creation.rawValue] }
}

/// Finds out how long a payload is.
struct RecordMeasure: RecordSink {
    private(set) var byteCount = 0

    mutating func append(_ byte: UInt8) { self.byteCount += 1 }
    mutating func append(contentsOf bytes: [UInt8]) { self.byteCount += bytes.count }
    mutating func append(_ bytes: UnsafeRawBufferPointer) { self.byteCount += bytes.count }
}

/// Writes a payload to where there is room for just that.
struct RecordCursor: RecordSink {
    private let bytes: UnsafeMutableRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeMutableRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { self.offset == self.bytes.count }

    mutating func append(_ byte: UInt8) {
        precondition(self.offset < self.bytes.count, "there is room for what was measured")
        self.bytes[self.offset] = byte
        self.offset += 1
    }

    mutating func append(contentsOf bytes: [UInt8]) { bytes.withUnsafeBytes { self.append($0) } }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= self.bytes.count - self.offset, "there is room for what was measured")
        let room = UnsafeMutableRawBufferPointer(rebasing: self.bytes[self.offset...])
        room.copyMemory(from: bytes)
        self.offset += bytes.count
    }
}
