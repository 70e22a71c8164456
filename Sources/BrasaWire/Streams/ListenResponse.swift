internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension ListenResponse {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: ListenResponseEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: ListenResponseEnvelope) throws(DocumentError) {
        switch envelope.response_type_case {
        case BRASA__WIRE__LISTEN_RESPONSE__RESPONSE_TYPE_TARGET_CHANGE:
            self =
                try envelope.target_change.map { (change) throws(DocumentError) in
                    .targetChange(try TargetChange(change.pointee))
                } ?? .unknown
        case BRASA__WIRE__LISTEN_RESPONSE__RESPONSE_TYPE_DOCUMENT_CHANGE:
            self =
                try envelope.document_change.map { (change) throws(DocumentError) in
                    .documentChange(try DocumentChange(change.pointee))
                } ?? .unknown
        case BRASA__WIRE__LISTEN_RESPONSE__RESPONSE_TYPE_DOCUMENT_DELETE:
            self =
                try envelope.document_delete.map { (delete) throws(DocumentError) in
                    .documentDelete(try DocumentDelete(delete.pointee))
                } ?? .unknown
        case BRASA__WIRE__LISTEN_RESPONSE__RESPONSE_TYPE_DOCUMENT_REMOVE:
            self =
                try envelope.document_remove.map { (remove) throws(DocumentError) in
                    .documentRemove(try DocumentRemove(remove.pointee))
                } ?? .unknown
        case BRASA__WIRE__LISTEN_RESPONSE__RESPONSE_TYPE_FILTER:
            self = envelope.filter.map { .filter(ExistenceFilter($0.pointee)) } ?? .unknown
        default:
            self = .unknown
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension ListenResponse.DocumentChange {
    fileprivate init(_ envelope: DocumentChangeEnvelope) throws(DocumentError) {
        self.init(
            try NamedDocument(envelope.document.bytes),
            targetIDs: repeated(envelope.n_target_ids, envelope.target_ids),
            removedTargetIDs: repeated(envelope.n_removed_target_ids, envelope.removed_target_ids)
        )
    }
}

extension ListenResponse.DocumentDelete {
    fileprivate init(_ envelope: DocumentDeleteEnvelope) throws(DocumentError) {
        self.init(
            try DocumentName(parsing: envelope.document.bytes),
            removedTargetIDs: repeated(envelope.n_removed_target_ids, envelope.removed_target_ids),
            readTime: try envelope.read_time?.pointee.timestamp()
        )
    }
}

extension ListenResponse.DocumentRemove {
    fileprivate init(_ envelope: DocumentRemoveEnvelope) throws(DocumentError) {
        self.init(
            try DocumentName(parsing: envelope.document.bytes),
            removedTargetIDs: repeated(envelope.n_removed_target_ids, envelope.removed_target_ids),
            readTime: try envelope.read_time?.pointee.timestamp()
        )
    }
}
