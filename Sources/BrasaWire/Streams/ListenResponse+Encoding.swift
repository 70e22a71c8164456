internal import BrasaDocuments
package import NIOCore

extension ListenResponse: WireMessage {
    private static let documentChangeField: UInt64 = 3

    func encode<Sink: WireSink>(to sink: inout Sink) {
        switch self {
        case .targetChange(let change): sink.keep(2, change)
        case .documentChange(let change): sink.keep(Self.documentChangeField, change)
        case .documentDelete(let delete): sink.keep(4, delete)
        case .filter(let filter): sink.keep(5, filter)
        case .documentRemove(let remove): sink.keep(6, remove)
        case .unknown: break
        }
    }

    /// Appends a change of a document that was encoded before, for the targets of one stream.
    package static func encodeChange(
        _ document: EncodedDocument,
        targetIDs: [Int32],
        removedTargetIDs: [Int32],
        into buffer: inout ByteBuffer
    ) {
        EncodedChange(document: document, targetIDs: targetIDs, removedTargetIDs: removedTargetIDs).write(into: &buffer)
    }

    private struct EncodedChange: WireMessage {
        let document: EncodedDocument
        let targetIDs: [Int32]
        let removedTargetIDs: [Int32]

        func encode<Sink: WireSink>(to sink: inout Sink) {
            sink.keep(ListenResponse.documentChangeField, Fields(change: self))
        }

        private struct Fields: WireMessage {
            let change: EncodedChange

            func encode<Sink: WireSink>(to sink: inout Sink) {
                sink.raw(self.change.document.field)
                sink.write(5, packed: self.change.targetIDs)
                sink.write(6, packed: self.change.removedTargetIDs)
            }
        }
    }
}

/// A document as every DocumentChange about it carries it: encoded once, sent to any number of streams.
package struct EncodedDocument: Sendable {
    /// The message's document field, with tag and length.
    fileprivate let field: [UInt8]

    package init(_ document: NamedDocument) {
        let message = Field(document: document)
        self.field = Array(unsafeUninitializedCapacity: message.wireSize) { memory, count in
            var writer = WireWriter(UnsafeMutableRawBufferPointer(memory))
            message.encode(to: &writer)
            count = writer.position
        }
    }

    package var byteCount: Int { self.field.count }

    private struct Field: WireMessage {
        let document: NamedDocument

        func encode<Sink: WireSink>(to sink: inout Sink) {
            sink.keep(1, self.document)
        }
    }
}

extension ListenResponse.DocumentChange: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.keep(1, self.document)
        sink.write(5, packed: self.targetIDs)
        sink.write(6, packed: self.removedTargetIDs)
    }
}

extension ListenResponse.DocumentDelete: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.keep(1, self.name)
        sink.write(4, self.readTime)
        sink.write(6, packed: self.removedTargetIDs)
    }
}

extension ListenResponse.DocumentRemove: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.keep(1, self.name)
        sink.write(2, packed: self.removedTargetIDs)
        sink.write(4, self.readTime)
    }
}
