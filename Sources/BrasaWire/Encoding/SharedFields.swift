internal import BrasaBytes
internal import BrasaDocuments

extension Timestamp: WireMessage {
    func encode(to sink: inout WireSink) { sink.write(WireTime(self)) }
}

/// A Timestamp message that is about to be written. Each answer has some, a query's three for each document.
struct WireTime {
    fileprivate let seconds: UInt64
    fileprivate let nanos: UInt64
    /// How many bytes it is: less than 128.
    let byteCount: Int

    @inline(__always)
    init(_ time: Timestamp) {
        let (seconds, nanos) = time.parts
        self.seconds = UInt64(bitPattern: seconds)
        self.nanos = UInt64(nanos)
        let size = self.seconds == 0 ? 0 : 1 &+ Varint.size(self.seconds)
        self.byteCount = self.nanos == 0 ? size : size &+ 1 &+ Varint.size(self.nanos)
    }
}

extension WireSink {
    @inline(__always)
    mutating func write(_ time: WireTime) {
        if time.seconds != 0 {
            self.tag(1, WireReader.Tag.varint)
            self.varint(time.seconds)
        }
        if time.nanos != 0 {
            self.tag(2, WireReader.Tag.varint)
            self.varint(time.nanos)
        }
    }

    @inline(__always)
    mutating func keep(_ field: UInt64, _ time: WireTime) {
        self.tag(field, WireReader.Tag.lengthDelimited)
        self.varint(UInt64(time.byteCount))
        self.write(time)
    }

    mutating func keep(_ field: UInt64, _ time: Timestamp) {
        self.keep(field, WireTime(time))
    }

    mutating func write(_ field: UInt64, _ time: Timestamp?) {
        if let time { self.keep(field, time) }
    }
}

/// A document's full name, written from its parts.
extension DocumentName: WireMessage {
    var byteCountLeast: Int { self.database.bytes.count + self.path.bytes.count }

    func encode(to sink: inout WireSink) {
        sink.raw(self.database.bytes)
        sink.raw("/documents/")
        sink.raw(self.path.bytes)
    }
}

extension ParentName: WireMessage {
    var byteCountLeast: Int { self.database.bytes.count + self.path.bytes.count }

    func encode(to sink: inout WireSink) {
        sink.raw(self.database.bytes)
        sink.raw("/documents")
        guard !self.path.isRoot else { return }
        sink.raw("/")
        sink.raw(self.path.bytes)
    }
}

/// A DocumentMask message; its paths in canonical form.
struct MaskMessage: WireMessage {
    private let paths: [[UInt8]]

    init(_ mask: [FieldPath]) {
        self.paths = mask.map { Array($0.canonical.utf8) }
    }

    func encode(to sink: inout WireSink) {
        for path in self.paths { sink.keep(1, bytes: path) }
    }
}

/// Bytes of a message that was encoded before.
struct EncodedMessage: WireMessage {
    let bytes: [UInt8]

    var byteCountLeast: Int { self.bytes.count }

    func encode(to sink: inout WireSink) {
        sink.raw(self.bytes)
    }
}

extension Precondition: WireMessage {
    func encode(to sink: inout WireSink) {
        switch self {
        case .exists(let exists): sink.keep(1, varint: exists ? 1 : 0)
        case .updateTime(let time): sink.keep(2, time)
        }
    }
}
