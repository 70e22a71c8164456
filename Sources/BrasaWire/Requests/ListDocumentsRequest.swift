internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension ListDocumentsRequest {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: ListDocumentsRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: ListDocumentsRequestEnvelope) throws(DocumentError) {
        let parent = try ParentName(parsing: envelope.parent.bytes)
        let collectionID = try envelope.collection_id.text("collection_id")
        let pageSize = envelope.page_size
        let pageToken = try envelope.page_token.text("page_token")
        let orderBy = try envelope.order_by.text("order_by")
        let mask = try fieldPaths(envelope.mask)
        let consistency: ReadConsistency
        switch envelope.consistency_selector_case {
        case BRASA__WIRE__LIST_DOCUMENTS_REQUEST__CONSISTENCY_SELECTOR_TRANSACTION:
            consistency = .transaction(envelope.transaction.array)
        case BRASA__WIRE__LIST_DOCUMENTS_REQUEST__CONSISTENCY_SELECTOR_READ_TIME:
            consistency = ReadConsistency(try readTime(envelope.read_time))
        default:
            consistency = .strong
        }
        let showMissing = envelope.show_missing != 0
        self.init(
            parent: parent,
            collectionID: collectionID,
            pageSize: pageSize,
            pageToken: pageToken,
            orderBy: orderBy,
            mask: mask,
            consistency: consistency,
            showMissing: showMissing
        )
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension ListDocumentsRequest: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.keep(1, self.parent)
        sink.write(2, bytes: self.collectionID.bytes)
        sink.write(3, int32: self.pageSize)
        sink.write(4, bytes: self.pageToken.bytes)
        sink.write(6, bytes: self.orderBy.bytes)
        sink.write(7, self.mask.map(MaskMessage.init))
        self.consistency.encode(to: &sink, transaction: 8, newTransaction: nil, readTime: 10)
        sink.write(12, bool: self.showMissing)
    }
}
