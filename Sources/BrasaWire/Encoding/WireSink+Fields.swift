import BrasaDocuments

/// Fields as proto3 writes them: a default value is left out, unless the method's name says that it is kept because its
/// presence means something.
extension WireSink {
    @inline(__always)
    mutating func tag(_ field: UInt64, _ type: UInt8) {
        self.varint(field << 3 | UInt64(type))
    }

    mutating func keep(_ field: UInt64, varint number: UInt64) {
        self.tag(field, WireReader.Tag.varint)
        self.varint(number)
    }

    mutating func write(_ field: UInt64, varint number: UInt64) {
        if number != 0 { self.keep(field, varint: number) }
    }

    /// Negative numbers take ten bytes, as protobuf has it.
    mutating func write(_ field: UInt64, int32 number: Int32) {
        self.write(field, varint: UInt64(bitPattern: Int64(number)))
    }

    mutating func write(_ field: UInt64, packed numbers: [Int32]) {
        guard !numbers.isEmpty else { return }
        self.nested(field, least: numbers.count) { sink in
            for number in numbers { sink.varint(UInt64(bitPattern: Int64(number))) }
        }
    }

    mutating func write(_ field: UInt64, bool value: Bool) {
        if value { self.keep(field, varint: 1) }
    }

    mutating func keep(_ field: UInt64, bytes: [UInt8]) {
        self.tag(field, WireReader.Tag.lengthDelimited)
        self.varint(UInt64(bytes.count))
        self.raw(bytes)
    }

    mutating func write(_ field: UInt64, bytes: [UInt8]) {
        if !bytes.isEmpty { self.keep(field, bytes: bytes) }
    }

    mutating func keep(_ field: UInt64, string: String) {
        self.keep(field, bytes: Array(string.utf8))
    }

    mutating func write(_ field: UInt64, string: String) {
        if !string.isEmpty { self.keep(field, string: string) }
    }

    mutating func keep<Message: WireMessage>(_ field: UInt64, _ message: Message) {
        self.nested(field, least: message.byteCountLeast) { message.encode(to: &$0) }
    }

    /// Absent when nil, present, perhaps empty, when not.
    mutating func write<Message: WireMessage>(_ field: UInt64, _ message: Message?) {
        if let message { self.keep(field, message) }
    }

    mutating func raw(_ text: StaticString) {
        self.raw(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func raw(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { self.raw($0) }
    }

    mutating func raw(_ bytes: ByteString) {
        bytes.withUnsafeBytes { self.raw($0) }
    }
}
