/// Writes the fields of one small protobuf message. Like proto3 it leaves out empty values unless told to keep them.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    /// `keepingZero` is for fields whose presence means something.
    mutating func write(_ field: UInt32, varint value: UInt64, keepingZero: Bool = false) {
        guard value != 0 || keepingZero else { return }
        self.append(varint: UInt64(field) << 3)
        self.append(varint: value)
    }

    mutating func write(_ field: UInt32, string value: String) {
        guard !value.isEmpty else { return }
        self.write(field, message: Array(value.utf8))
    }

    /// A submessage or bytes; kept when empty, since its presence means something.
    mutating func write(_ field: UInt32, message value: some Collection<UInt8>) {
        self.append(varint: UInt64(field) << 3 | 2)
        self.append(varint: UInt64(value.count))
        self.bytes.append(contentsOf: value)
    }

    mutating func write(_ field: UInt32, _ build: (inout ProtobufWriter) -> Void) {
        var inner = ProtobufWriter()
        build(&inner)
        self.write(field, message: inner.bytes)
    }

    private mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            self.bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
