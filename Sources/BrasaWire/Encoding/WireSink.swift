import BrasaBytes
import BrasaDocuments

/// Where protobuf goes: a counter that only adds up sizes, or memory. Each message states its fields once; run over a
/// counter that gives its exact size, so that lengths stand before what they measure and nothing is built in between.
protocol WireSink {
    mutating func varint(_ number: UInt64)
    mutating func fixed64(_ number: UInt64)
    mutating func raw(_ bytes: UnsafeRawBufferPointer)
}

/// A message that can be written. `encode` must write the same each time it runs.
protocol WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink)
}

extension WireMessage {
    var wireSize: Int {
        var counter = WireCounter()
        self.encode(to: &counter)
        return counter.count
    }
}

/// Fields as proto3 writes them: a default value is left out, unless the method's name says that it is kept because its
/// presence means something.
extension WireSink {
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
        var counter = WireCounter()
        for number in numbers { counter.varint(UInt64(bitPattern: Int64(number))) }
        self.tag(field, WireReader.Tag.lengthDelimited)
        self.varint(UInt64(counter.count))
        for number in numbers { self.varint(UInt64(bitPattern: Int64(number))) }
    }

    mutating func write(_ field: UInt64, bool value: Bool) {
        if value { self.keep(field, varint: 1) }
    }

    mutating func keep(_ field: UInt64, bytes: [UInt8]) {
        self.tag(field, WireReader.Tag.lengthDelimited)
        self.varint(UInt64(bytes.count))
        bytes.withUnsafeBytes { self.raw($0) }
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
        self.tag(field, WireReader.Tag.lengthDelimited)
        self.varint(UInt64(message.wireSize))
        message.encode(to: &self)
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
}

struct WireCounter: WireSink {
    private(set) var count = 0

    mutating func varint(_ number: UInt64) {
        self.count += Varint.size(number)
    }

    mutating func fixed64(_ number: UInt64) { self.count += 8 }
    mutating func raw(_ bytes: UnsafeRawBufferPointer) { self.count += bytes.count }
}
