internal import NIOCore

/// Walks the fields of one small protobuf message in place, for the few messages of this room (health, reflection,
/// descriptors). Never recurses and never trusts a length.
struct ProtobufReader {
    enum Value {
        case varint(UInt64)
        case bytes(ArraySlice<UInt8>)
        /// Fixed-width fields: skipped by every reader here.
        case fixed
    }

    struct Malformed: Error {}

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.rest = bytes
    }

    init(_ message: ByteBuffer) {
        self.rest = Array(message.readableBytesView)[...]
    }

    /// The next field's number and value; nil at the end.
    mutating func next() throws(Malformed) -> (field: UInt32, value: Value)? {
        guard !self.rest.isEmpty else { return nil }
        let tag = try self.readVarint()
        guard tag <= UInt64(UInt32.max), tag >> 3 != 0 else { throw Malformed() }
        let field = UInt32(tag >> 3)
        switch tag & 7 {
        case 0: return (field, .varint(try self.readVarint()))
        case 1: _ = try self.readBytes(8)
        case 2: return (field, .bytes(try self.readBytes(try self.readVarint())))
        case 5: _ = try self.readBytes(4)
        default: throw Malformed()
        }
        return (field, .fixed)
    }

    private mutating func readVarint() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = self.rest.popFirst() {
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
            guard shift < 70 else { throw Malformed() }
        }
        throw Malformed()
    }

    private mutating func readBytes(_ count: UInt64) throws(Malformed) -> ArraySlice<UInt8> {
        guard count <= UInt64(self.rest.count) else { throw Malformed() }
        let bytes = self.rest.prefix(Int(count))
        self.rest = self.rest.dropFirst(Int(count))
        return bytes
    }
}
