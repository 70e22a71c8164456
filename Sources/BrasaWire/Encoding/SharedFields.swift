internal import BrasaDocuments

extension Timestamp: WireMessage {
    func encode(to sink: inout WireSink) {
        let (seconds, nanos) = self.parts
        sink.write(1, varint: UInt64(bitPattern: seconds))
        sink.write(2, varint: UInt64(nanos))
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
