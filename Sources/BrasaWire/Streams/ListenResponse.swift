package import BrasaDocuments
internal import CBrasaFirestoreV1
package import NIOCore

/// One message of the Listen stream.
package enum ListenResponse: Sendable {
    case targetChange(TargetChange)
    case documentChange(DocumentChange)
    case documentDelete(DocumentDelete)
    case documentRemove(DocumentRemove)
    case filter(ExistenceFilter)
    /// Something later than these, to be passed over.
    case unknown

    /// A document that is new to the first targets or has changed there, and does not match the others any more.
    package struct DocumentChange: Sendable {
        package var document: NamedDocument
        package var targetIDs: [Int32]
        package var removedTargetIDs: [Int32]

        package init(_ document: NamedDocument, targetIDs: [Int32], removedTargetIDs: [Int32] = []) {
            self.document = document
            self.targetIDs = targetIDs
            self.removedTargetIDs = removedTargetIDs
        }
    }

    /// A document that is there no more.
    package struct DocumentDelete: Sendable {
        package var name: DocumentName
        package var removedTargetIDs: [Int32]
        package var readTime: Timestamp?

        package init(_ name: DocumentName, removedTargetIDs: [Int32], readTime: Timestamp?) {
            self.name = name
            self.removedTargetIDs = removedTargetIDs
            self.readTime = readTime
        }
    }

    /// A document that left targets, and perhaps still exists.
    package struct DocumentRemove: Sendable {
        package var name: DocumentName
        package var removedTargetIDs: [Int32]
        package var readTime: Timestamp?

        package init(_ name: DocumentName, removedTargetIDs: [Int32], readTime: Timestamp?) {
            self.name = name
            self.removedTargetIDs = removedTargetIDs
            self.readTime = readTime
        }
    }

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
