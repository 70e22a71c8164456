import BrasaBytes
import BrasaDocuments

/// Where protobuf goes: memory that somebody has made room in. Each message states its fields once and is written once. What
/// does not fit is counted and not written, so that whoever asked knows with how much memory to ask again; nothing is
/// ever written behind the memory's end.
///
/// The length of a nested message stands before it and is known only behind it. Room is left for as many bytes as the length
/// has by what the message says that it takes at least; where that was too little, the message moves on.
struct WireSink {
    private let base: UnsafeMutableRawPointer?
    private let capacity: Int
    /// How many bytes were written, or would have been.
    private(set) var position = 0

    init(_ memory: UnsafeMutableRawBufferPointer) {
        self.base = memory.baseAddress
        self.capacity = memory.count
    }

    /// Whether everything was written. Once it is not it stays so: the position never goes back.
    var isComplete: Bool { self.position <= self.capacity }

    @inline(__always)
    mutating func varint(_ number: UInt64) {
        guard let base, self.capacity &- self.position >= Varint.sizeMax else { return self.varintNearEnd(number) }
        self.position &+= Self.write(number, to: base + self.position)
    }

    @inline(never)
    private mutating func varintNearEnd(_ number: UInt64) {
        let size = Varint.size(number)
        if let base, self.capacity &- self.position >= size { _ = Self.writeEach(number, to: base + self.position) }
        self.position &+= size
    }

    mutating func fixed64(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { self.raw($0) }
    }

    @inline(__always)
    mutating func raw(_ bytes: UnsafeRawBufferPointer) {
        if let base, let from = bytes.baseAddress, self.capacity &- self.position >= bytes.count {
            (base + self.position).copyMemory(from: from, byteCount: bytes.count)
        }
        self.position &+= bytes.count
    }

    /// A field whose length stands before it.
    /// - Parameter least: no more bytes than `body` writes; the nearer the better.
    @inline(__always)
    mutating func nested(_ field: UInt64, least: Int = 0, _ body: (inout WireSink) -> Void) {
        self.tag(field, WireReader.Tag.lengthDelimited)
        let reserved = Varint.size(UInt64(least))
        let start = self.position
        self.position &+= reserved
        body(&self)
        self.setLength(at: start, reserved: reserved)
    }

    /// The field that was written last, from `start` on, once more under another number; both are below 16.
    mutating func keepAgain(_ field: UInt64, from start: Int) {
        let rest = self.position &- start &- 1
        self.tag(field, WireReader.Tag.lengthDelimited)
        if let base, self.capacity &- self.position >= rest {
            (base + self.position).copyMemory(from: base + start + 1, byteCount: rest)
        }
        self.position &+= rest
    }

    private mutating func setLength(at start: Int, reserved: Int) {
        let first = start &+ reserved
        let length = self.position &- first
        let size = Varint.size(UInt64(length))
        precondition(size >= reserved, "a message is shorter than it said")
        self.position &+= size &- reserved
        guard let base, self.isComplete else { return }
        if size > reserved {
            (base + start + size).copyMemory(from: base + first, byteCount: length)
        }
        _ = Self.writeEach(UInt64(length), to: base + start)
    }

    /// Its size. There is room for the longest.
    @inline(__always)
    private static func write(_ number: UInt64, to memory: UnsafeMutableRawPointer) -> Int {
        if number < 0x80 {
            memory.storeBytes(of: UInt8(truncatingIfNeeded: number), as: UInt8.self)
            return 1
        }
        return number < 1 << 56 ? self.writeAtOnce(number, to: memory) : self.writeEach(number, to: memory)
    }

    /// Eight bytes are stored, of which as many count as the number has: its bits are put seven to a byte in three steps, the
    /// halves apart, then the quarters, then the eighths.
    @inline(__always)
    private static func writeAtOnce(_ number: UInt64, to memory: UnsafeMutableRawPointer) -> Int {
        var bytes = number & 0x0000_0000_0FFF_FFFF | (number & 0x00FF_FFFF_F000_0000) << 4
        bytes = bytes & 0x0000_3FFF_0000_3FFF | (bytes & 0x0FFF_C000_0FFF_C000) << 2
        bytes = bytes & 0x007F_007F_007F_007F | (bytes & 0x3F80_3F80_3F80_3F80) << 1
        let size = Varint.size(number)
        let others = (1 as UInt64) << UInt64(truncatingIfNeeded: 8 &* (size &- 1)) &- 1
        bytes |= 0x8080_8080_8080_8080 & others
        memory.storeBytes(of: bytes.littleEndian, as: UInt64.self)
        return size
    }

    private static func writeEach(_ number: UInt64, to memory: UnsafeMutableRawPointer) -> Int {
        var size = 0
        var rest = number
        while rest >= 0x80 {
            memory.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: size, as: UInt8.self)
            size &+= 1
            rest >>= 7
        }
        memory.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: size, as: UInt8.self)
        return size &+ 1
    }
}

/// A message that can be written. `encode` must write the same each time it runs.
protocol WireMessage {
    /// No more bytes than it takes; worth saying for what is often longer than 127 bytes.
    var byteCountLeast: Int { get }

    func encode(to sink: inout WireSink)
}

extension WireMessage {
    var byteCountLeast: Int { 0 }

    /// Exactly how many bytes it takes.
    var wireSize: Int {
        var sink = WireSink(UnsafeMutableRawBufferPointer(start: nil, count: 0))
        self.encode(to: &sink)
        return sink.position
    }
}
