internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension GetDocumentRequest {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: GetDocumentRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: GetDocumentRequestEnvelope) throws(DocumentError) {
        let name = try DocumentName(parsing: envelope.name.bytes)
        let mask = try fieldPaths(envelope.mask)
        let consistency: ReadConsistency
        switch envelope.consistency_selector_case {
        case BRASA__WIRE__GET_DOCUMENT_REQUEST__CONSISTENCY_SELECTOR_TRANSACTION:
            consistency = .transaction(envelope.transaction.array)
        case BRASA__WIRE__GET_DOCUMENT_REQUEST__CONSISTENCY_SELECTOR_READ_TIME:
            consistency = ReadConsistency(try readTime(envelope.read_time))
        default:
            consistency = .strong
        }
        self.init(name: name, mask: mask, consistency: consistency)
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension GetDocumentRequest: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.keep(1, self.name)
        sink.write(2, self.mask.map(MaskMessage.init))
        self.consistency.encode(to: &sink, transaction: 3, newTransaction: nil, readTime: 5)
    }
}
