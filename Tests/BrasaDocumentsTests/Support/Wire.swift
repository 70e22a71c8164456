/// Protobuf by hand, so that tests can write what no encoder would.
enum Wire {
    static func varint(_ number: UInt64, paddedTo length: Int = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = number
        while rest >= 0x80 || bytes.count + 1 < length {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    static func field(_ number: Int, _ payload: [UInt8]) -> [UInt8] {
        self.varint(UInt64(number) << 3 | 2) + self.varint(UInt64(payload.count)) + payload
    }

    static func field(_ number: Int, varint: UInt64) -> [UInt8] {
        self.varint(UInt64(number) << 3) + self.varint(varint)
    }

    static func field(_ number: Int, fixed64: UInt64) -> [UInt8] {
        self.varint(UInt64(number) << 3 | 1) + (0..<8).map { UInt8(truncatingIfNeeded: fixed64 >> (8 * $0)) }
    }

    static func text(_ number: Int, _ text: String) -> [UInt8] { self.field(number, Array(text.utf8)) }

    /// A map entry in a Document (field 2) or a MapValue (field 1).
    static func entry(_ key: String, _ value: [UInt8], field: Int = 2) -> [UInt8] {
        self.field(field, self.text(1, key) + self.field(2, value))
    }

    static func string(_ text: String) -> [UInt8] { self.text(17, text) }
    static func integer(_ number: Int64) -> [UInt8] { self.field(2, varint: UInt64(bitPattern: number)) }
    static func double(_ number: Double) -> [UInt8] { self.field(3, fixed64: number.bitPattern) }
    static func map(_ entries: [UInt8]...) -> [UInt8] { self.field(6, entries.flatMap { $0 }) }
    static func array(_ elements: [UInt8]...) -> [UInt8] { self.field(9, elements.flatMap { self.field(1, $0) }) }
    static func timestamp(_ seconds: Int64, _ nanos: Int32) -> [UInt8] {
        self.field(
            10,
            self.field(1, varint: UInt64(bitPattern: seconds))
                + self.field(2, varint: UInt64(UInt32(bitPattern: nanos)))
        )
    }
    static func geoPoint(_ latitude: Double, _ longitude: Double) -> [UInt8] {
        self.field(8, self.field(1, fixed64: latitude.bitPattern) + self.field(2, fixed64: longitude.bitPattern))
    }
}
