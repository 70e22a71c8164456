import BrasaBytes
internal import NIOCore

/// Writes into memory of the counted size. Checked, because a message that counted less than it writes would write
/// beyond its end.
struct WireWriter: WireSink {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var position = 0

    init(_ memory: UnsafeMutableRawBufferPointer) {
        self.memory = memory
    }

    mutating func varint(_ number: UInt64) {
        Varint.write(number, to: self.memory, at: &self.position)
    }

    mutating func fixed64(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { self.raw($0) }
    }

    mutating func raw(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= self.memory.count - self.position, "a message outgrew its counted size")
        UnsafeMutableRawBufferPointer(rebasing: self.memory[self.position...]).copyMemory(from: bytes)
        self.position &+= bytes.count
    }
}

extension WireMessage {
    /// Appends the message to the buffer: one reservation of the exact size, each byte written once.
    func write(into buffer: inout ByteBuffer) {
        let size = self.wireSize
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { memory in
            var writer = WireWriter(UnsafeMutableRawBufferPointer(rebasing: memory[..<size]))
            self.encode(to: &writer)
            return writer.position
        }
    }
}
