package import BrasaDocuments
internal import CBrasaFirestoreV1
package import NIOCore

package struct BatchGetDocumentsRequest: Sendable {
    package var database: DatabaseName
    /// All in that database, in the request's order, perhaps repeated.
    package var documents: [DocumentName]
    package var mask: [FieldPath]?
    package var consistency: ReadConsistency

    package init(
        database: DatabaseName,
        documents: [DocumentName],
        mask: [FieldPath]? = nil,
        consistency: ReadConsistency = .strong
    ) {
        self.database = database
        self.documents = documents
        self.mask = mask
        self.consistency = consistency
    }

    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: BatchGetDocumentsRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: BatchGetDocumentsRequestEnvelope) throws(DocumentError) {
        self.database = try DatabaseName(parsing: envelope.database.bytes)
        var documents: [DocumentName] = []
        documents.reserveCapacity(envelope.n_documents)
        for name in repeated(envelope.n_documents, envelope.documents) {
            documents.append(try DocumentName(parsing: name.bytes, in: self.database))
        }
        self.documents = documents
        self.mask = try fieldPaths(envelope.mask)
        switch envelope.consistency_selector_case {
        case BRASA__WIRE__BATCH_GET_DOCUMENTS_REQUEST__CONSISTENCY_SELECTOR_TRANSACTION:
            self.consistency = .transaction(envelope.transaction.array)
        case BRASA__WIRE__BATCH_GET_DOCUMENTS_REQUEST__CONSISTENCY_SELECTOR_NEW_TRANSACTION:
            self.consistency = try ReadConsistency(envelope.new_transaction)
        case BRASA__WIRE__BATCH_GET_DOCUMENTS_REQUEST__CONSISTENCY_SELECTOR_READ_TIME:
            self.consistency = ReadConsistency(try readTime(envelope.read_time))
        default:
            self.consistency = .strong
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension BatchGetDocumentsRequest: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.write(1, bytes: self.database.bytes)
        for name in self.documents { sink.keep(2, name) }
        sink.write(3, self.mask.map(MaskMessage.init))
        self.consistency.encode(to: &sink, transaction: 4, newTransaction: 5, readTime: 7)
    }
}
