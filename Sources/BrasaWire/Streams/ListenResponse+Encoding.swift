internal import BrasaDocuments
package import BrasaMessages
package import NIOCore

extension ListenResponse: WireMessage {
    private static let documentChangeField: UInt64 = 3

    func encode(to sink: inout WireSink) {
        switch self {
        case .targetChange(let change): sink.keep(2, change)
        case .documentChange(let change): sink.keep(Self.documentChangeField, change)
        case .documentDelete(let delete): sink.keep(4, delete)
        case .filter(let filter): sink.keep(5, filter)
        case .documentRemove(let remove): sink.keep(6, remove)
        case .unknown: break
        }
    }

    /// What comes before the bytes of a document that was encoded before, in a change of it for some targets.
    package static func encodeStartOfChange(
        _ document: EncodedDocument,
        targetIDs: [Int32],
        removedTargetIDs: [Int32],
        into buffer: inout ByteBuffer
    ) {
        let end = ChangedTargets(targetIDs: targetIDs, removedTargetIDs: removedTargetIDs)
        Start(field: Self.documentChangeField, byteCount: document.byteCount + end.wireSize).write(into: &buffer)
    }

    /// What comes after them.
    package static func encodeEndOfChange(
        targetIDs: [Int32],
        removedTargetIDs: [Int32],
        into buffer: inout ByteBuffer
    ) {
        ChangedTargets(targetIDs: targetIDs, removedTargetIDs: removedTargetIDs).write(into: &buffer)
    }

    private struct Start: WireMessage {
        let field: UInt64
        let byteCount: Int

        func encode(to sink: inout WireSink) {
            sink.tag(self.field, WireReader.Tag.lengthDelimited)
            sink.varint(UInt64(self.byteCount))
        }
    }

    private struct ChangedTargets: WireMessage {
        let targetIDs: [Int32]
        let removedTargetIDs: [Int32]

        func encode(to sink: inout WireSink) {
            sink.write(5, packed: self.targetIDs)
            sink.write(6, packed: self.removedTargetIDs)
        }
    }
}

/// A document as every DocumentChange about it carries it: encoded once, sent to any number of streams.
package final class EncodedDocument: Sendable {
    /// The message's document field, with tag and length.
    package let bytes: ByteBuffer

    package init(_ document: NamedDocument) {
        var bytes = ByteBuffer()
        Field(document: document).write(into: &bytes)
        self.bytes = bytes
    }

    package var byteCount: Int { self.bytes.readableBytes }

    private struct Field: WireMessage {
        let document: NamedDocument

        func encode(to sink: inout WireSink) {
            sink.keep(1, self.document)
        }
    }
}

extension ListenResponse.DocumentChange: WireMessage {
    var byteCountLeast: Int { self.document.byteCountLeast }

    func encode(to sink: inout WireSink) {
        sink.keep(1, self.document)
        sink.write(5, packed: self.targetIDs)
        sink.write(6, packed: self.removedTargetIDs)
    }
}

extension ListenResponse.DocumentDelete: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.keep(1, self.name)
        sink.write(4, self.readTime)
        sink.write(6, packed: self.removedTargetIDs)
    }
}

extension ListenResponse.DocumentRemove: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.keep(1, self.name)
        sink.write(2, packed: self.removedTargetIDs)
        sink.write(4, self.readTime)
    }
}
