internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension BatchGetDocumentsRequest {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: BatchGetDocumentsRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: BatchGetDocumentsRequestEnvelope) throws(DocumentError) {
        let database = try DatabaseName(parsing: envelope.database.bytes)
        var documents: [DocumentName] = []
        documents.reserveCapacity(envelope.n_documents)
        for name in repeated(envelope.n_documents, envelope.documents) {
            documents.append(try DocumentName(parsing: name.bytes, in: database))
        }
        let mask = try fieldPaths(envelope.mask)
        let consistency: ReadConsistency
        switch envelope.consistency_selector_case {
        case BRASA__WIRE__BATCH_GET_DOCUMENTS_REQUEST__CONSISTENCY_SELECTOR_TRANSACTION:
            consistency = .transaction(envelope.transaction.array)
        case BRASA__WIRE__BATCH_GET_DOCUMENTS_REQUEST__CONSISTENCY_SELECTOR_NEW_TRANSACTION:
            consistency = try ReadConsistency(envelope.new_transaction)
        case BRASA__WIRE__BATCH_GET_DOCUMENTS_REQUEST__CONSISTENCY_SELECTOR_READ_TIME:
            consistency = ReadConsistency(try readTime(envelope.read_time))
        default:
            consistency = .strong
        }
        self.init(database: database, documents: documents, mask: mask, consistency: consistency)
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension BatchGetDocumentsRequest: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, bytes: self.database.bytes)
        for name in self.documents { sink.keep(2, name) }
        sink.write(3, self.mask.map(MaskMessage.init))
        self.consistency.encode(to: &sink, transaction: 4, newTransaction: 5, readTime: 7)
    }
}
