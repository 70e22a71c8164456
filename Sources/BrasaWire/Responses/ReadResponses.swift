internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension BatchGetDocumentsResponse {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) {
            (envelope: BatchGetDocumentsResponseEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: BatchGetDocumentsResponseEnvelope) throws(DocumentError) {
        let result: Result?
        switch envelope.result_case {
        case BRASA__WIRE__BATCH_GET_DOCUMENTS_RESPONSE__RESULT_FOUND:
            result = .found(try NamedDocument(envelope.found.bytes))
        case BRASA__WIRE__BATCH_GET_DOCUMENTS_RESPONSE__RESULT_MISSING:
            result = .missing(try DocumentName(parsing: envelope.missing.bytes))
        default:
            result = nil
        }
        self.init(
            result: result,
            readTime: try envelope.read_time?.pointee.timestamp(),
            transaction: envelope.transaction.array
        )
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension BatchGetDocumentsResponse: WireMessage {
    func encode(to sink: inout WireSink) {
        switch self.result {
        case .found(let document): sink.keep(1, document)
        case .missing(let name): sink.keep(2, name)
        case nil: break
        }
        sink.write(3, bytes: self.transaction)
        sink.write(4, self.readTime)
    }
}

extension ListDocumentsResponse {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: ListDocumentsResponseEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: ListDocumentsResponseEnvelope) throws(DocumentError) {
        var documents: [NamedDocument] = []
        documents.reserveCapacity(envelope.n_documents)
        for document in repeated(envelope.n_documents, envelope.documents) {
            documents.append(try NamedDocument(document.bytes))
        }
        self.init(documents: documents, nextPageToken: try envelope.next_page_token.text("next_page_token"))
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension ListDocumentsResponse: WireMessage {
    func encode(to sink: inout WireSink) {
        for document in self.documents { sink.keep(1, document) }
        sink.write(2, bytes: self.nextPageToken.bytes)
    }
}

extension ListCollectionIdsResponse {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) {
            (envelope: ListCollectionIdsResponseEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: ListCollectionIdsResponseEnvelope) throws(DocumentError) {
        var ids: [UTF8Text] = []
        ids.reserveCapacity(envelope.n_collection_ids)
        for id in repeated(envelope.n_collection_ids, envelope.collection_ids) {
            ids.append(try id.text("collection_ids"))
        }
        self.init(collectionIDs: ids, nextPageToken: try envelope.next_page_token.text("next_page_token"))
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension ListCollectionIdsResponse: WireMessage {
    func encode(to sink: inout WireSink) {
        for id in self.collectionIDs { sink.keep(1, bytes: id.bytes) }
        sink.write(2, bytes: self.nextPageToken.bytes)
    }
}
