internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension UpdateDocumentRequest {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: UpdateDocumentRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: UpdateDocumentRequestEnvelope) throws(DocumentError) {
        let document = try DocumentMessage(decoding: envelope.document.bytes)
        let updateMask = try fieldPaths(envelope.update_mask)
        let write = Write(
            name: try DocumentName(
                parsing: UnsafeRawBufferPointer(rebasing: envelope.document.bytes[document.name])
            ),
            operation: updateMask.map { .merge(document.fields, mask: $0) } ?? .set(document.fields),
            precondition: try precondition(envelope.current_document)
        )
        self.init(write: write, mask: try fieldPaths(envelope.mask))
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension UpdateDocumentRequest: WireMessage {
    func encode(to sink: inout WireSink) {
        switch self.write.operation {
        case .set(let fields): sink.keep(1, UpdatedDocument(name: self.write.name, fields: fields))
        case .merge(let fields, let mask):
            sink.keep(1, UpdatedDocument(name: self.write.name, fields: fields))
            sink.keep(2, MaskMessage(mask))
        case .delete, .verify: break
        }
        sink.write(3, self.mask.map(MaskMessage.init))
        sink.write(4, self.write.precondition)
    }
}

extension DeleteDocumentRequest {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: DeleteDocumentRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in
                Self(
                    name: try DocumentName(parsing: envelope.name.bytes),
                    precondition: try BrasaWire.precondition(envelope.current_document)
                )
            }
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension DeleteDocumentRequest: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.keep(1, self.name)
        sink.write(2, self.precondition)
    }
}

extension CreateDocumentRequest {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: CreateDocumentRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: CreateDocumentRequestEnvelope) throws(DocumentError) {
        let parent = try ParentName(parsing: envelope.parent.bytes)
        let collectionID = try envelope.collection_id.text("collection_id")
        let documentID = try envelope.document_id.text("document_id")
        let fields = try DocumentMessage(decoding: envelope.document.bytes).fields
        let mask = try fieldPaths(envelope.mask)
        self.init(
            parent: parent,
            collectionID: collectionID,
            documentID: documentID,
            fields: fields,
            mask: mask
        )
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension CreateDocumentRequest: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.keep(1, self.parent)
        sink.write(2, bytes: self.collectionID.bytes)
        sink.write(3, bytes: self.documentID.bytes)
        sink.keep(4, UpdatedDocument(name: nil, fields: self.fields))
        sink.write(5, self.mask.map(MaskMessage.init))
    }
}
