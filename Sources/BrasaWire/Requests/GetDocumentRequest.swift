package import BrasaDocuments
internal import CBrasaFirestoreV1
package import NIOCore

package struct GetDocumentRequest: Sendable {
    package var name: DocumentName
    /// Nil returns all fields, an empty mask none.
    package var mask: [FieldPath]?
    package var consistency: ReadConsistency

    package init(name: DocumentName, mask: [FieldPath]? = nil, consistency: ReadConsistency = .strong) {
        self.name = name
        self.mask = mask
        self.consistency = consistency
    }

    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: GetDocumentRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: GetDocumentRequestEnvelope) throws(DocumentError) {
        self.name = try DocumentName(parsing: envelope.name.bytes)
        self.mask = try fieldPaths(envelope.mask)
        switch envelope.consistency_selector_case {
        case BRASA__WIRE__GET_DOCUMENT_REQUEST__CONSISTENCY_SELECTOR_TRANSACTION:
            self.consistency = .transaction(envelope.transaction.array)
        case BRASA__WIRE__GET_DOCUMENT_REQUEST__CONSISTENCY_SELECTOR_READ_TIME:
            self.consistency = ReadConsistency(try readTime(envelope.read_time))
        default:
            self.consistency = .strong
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension GetDocumentRequest: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.keep(1, self.name)
        sink.write(2, self.mask.map(MaskMessage.init))
        self.consistency.encode(to: &sink, transaction: 3, newTransaction: nil, readTime: 5)
    }
}
