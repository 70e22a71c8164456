internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension ListCollectionIdsRequest {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: ListCollectionIdsRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: ListCollectionIdsRequestEnvelope) throws(DocumentError) {
        let parent = try ParentName(parsing: envelope.parent.bytes)
        let pageSize = envelope.page_size
        let pageToken = try envelope.page_token.text("page_token")
        let hasTime =
            envelope.consistency_selector_case
            == BRASA__WIRE__LIST_COLLECTION_IDS_REQUEST__CONSISTENCY_SELECTOR_READ_TIME
        let readTime = hasTime ? try BrasaWire.readTime(envelope.read_time) : nil
        self.init(parent: parent, pageSize: pageSize, pageToken: pageToken, readTime: readTime)
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension ListCollectionIdsRequest: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.keep(1, self.parent)
        sink.write(2, int32: self.pageSize)
        sink.write(3, bytes: self.pageToken.bytes)
        sink.write(4, self.readTime?.time)
    }
}
