package import BrasaDocuments
internal import CBrasaFirestoreV1
package import NIOCore

/// UpdateDocument: one write and what of the written document to return.
package struct UpdateDocumentRequest: Sendable {
    /// `set`, or `merge` when the request has an update mask.
    package var write: Write
    /// Of the response.
    package var mask: [FieldPath]?

    package init(write: Write, mask: [FieldPath]? = nil) {
        self.write = write
        self.mask = mask
    }

    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: UpdateDocumentRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: UpdateDocumentRequestEnvelope) throws(DocumentError) {
        let document = try DocumentMessage(decoding: envelope.document.bytes)
        let updateMask = try fieldPaths(envelope.update_mask)
        self.write = Write(
            name: try DocumentName(
                parsing: UnsafeRawBufferPointer(rebasing: envelope.document.bytes[document.name])
            ),
            operation: updateMask.map { .merge(document.fields, mask: $0) } ?? .set(document.fields),
            precondition: try precondition(envelope.current_document)
        )
        self.mask = try fieldPaths(envelope.mask)
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension UpdateDocumentRequest: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
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

package struct DeleteDocumentRequest: Sendable {
    package var name: DocumentName
    package var precondition: Precondition?

    package init(name: DocumentName, precondition: Precondition? = nil) {
        self.name = name
        self.precondition = precondition
    }

    package var write: Write { Write(name: self.name, operation: .delete, precondition: self.precondition) }

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
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.keep(1, self.name)
        sink.write(2, self.precondition)
    }
}

package struct CreateDocumentRequest: Sendable {
    package var parent: ParentName
    /// Unchecked; `write(id:)` checks it.
    package var collectionID: UTF8Text
    /// Empty when the server is to choose.
    package var documentID: UTF8Text
    /// A name in the request's document is ignored.
    package var fields: EncodedFields
    /// Of the response.
    package var mask: [FieldPath]?

    package init(
        parent: ParentName,
        collectionID: UTF8Text,
        documentID: UTF8Text = "",
        fields: EncodedFields,
        mask: [FieldPath]? = nil
    ) {
        self.parent = parent
        self.collectionID = collectionID
        self.documentID = documentID
        self.fields = fields
        self.mask = mask
    }

    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: CreateDocumentRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: CreateDocumentRequestEnvelope) throws(DocumentError) {
        self.parent = try ParentName(parsing: envelope.parent.bytes)
        self.collectionID = try envelope.collection_id.text("collection_id")
        self.documentID = try envelope.document_id.text("document_id")
        self.fields = try DocumentMessage(decoding: envelope.document.bytes).fields
        self.mask = try fieldPaths(envelope.mask)
    }

    /// The write that creates the document under the request's id, or under `id` when the request has none.
    package func write(id: UTF8Text) throws(DocumentError) -> Write {
        let chosen = self.documentID.bytes.isEmpty ? id : self.documentID
        let path = try self.parent.path.appending(self.collectionID.bytes).appending(chosen.bytes)
        guard let name = DocumentName(database: self.parent.database, path: path) else {
            throw DocumentError(.documentIDInvalid(chosen.string))
        }
        return Write(name: name, operation: .set(self.fields), precondition: .exists(false))
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension CreateDocumentRequest: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.keep(1, self.parent)
        sink.write(2, bytes: self.collectionID.bytes)
        sink.write(3, bytes: self.documentID.bytes)
        sink.keep(4, UpdatedDocument(name: nil, fields: self.fields))
        sink.write(5, self.mask.map(MaskMessage.init))
    }
}
