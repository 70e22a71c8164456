package import BrasaDocuments
internal import CBrasaFirestoreV1
package import NIOCore

package struct ListDocumentsRequest: Sendable {
    package var parent: ParentName
    /// Empty for the documents of all collections directly under the parent. Unchecked.
    package var collectionID: UTF8Text
    /// As sent: 0 leaves it to the server, negative numbers are for the service to refuse.
    package var pageSize: Int32
    package var pageToken: UTF8Text
    /// For example `a desc, __name__`; empty for name order. Unchecked.
    package var orderBy: UTF8Text
    package var mask: [FieldPath]?
    package var consistency: ReadConsistency
    package var showMissing: Bool

    package init(
        parent: ParentName,
        collectionID: UTF8Text,
        pageSize: Int32 = 0,
        pageToken: UTF8Text = "",
        orderBy: UTF8Text = "",
        mask: [FieldPath]? = nil,
        consistency: ReadConsistency = .strong,
        showMissing: Bool = false
    ) {
        self.parent = parent
        self.collectionID = collectionID
        self.pageSize = pageSize
        self.pageToken = pageToken
        self.orderBy = orderBy
        self.mask = mask
        self.consistency = consistency
        self.showMissing = showMissing
    }

    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: ListDocumentsRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: ListDocumentsRequestEnvelope) throws(DocumentError) {
        self.parent = try ParentName(parsing: envelope.parent.bytes)
        self.collectionID = try envelope.collection_id.text("collection_id")
        self.pageSize = envelope.page_size
        self.pageToken = try envelope.page_token.text("page_token")
        self.orderBy = try envelope.order_by.text("order_by")
        self.mask = try fieldPaths(envelope.mask)
        switch envelope.consistency_selector_case {
        case BRASA__WIRE__LIST_DOCUMENTS_REQUEST__CONSISTENCY_SELECTOR_TRANSACTION:
            self.consistency = .transaction(envelope.transaction.array)
        case BRASA__WIRE__LIST_DOCUMENTS_REQUEST__CONSISTENCY_SELECTOR_READ_TIME:
            self.consistency = ReadConsistency(try readTime(envelope.read_time))
        default:
            self.consistency = .strong
        }
        self.showMissing = envelope.show_missing != 0
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension ListDocumentsRequest: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
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
