package import BrasaDocuments
internal import CBrasaFirestoreV1
package import NIOCore

package struct ListCollectionIdsRequest: Sendable {
    package var parent: ParentName
    /// As sent: 0 leaves it to the server, negative numbers are for the service to refuse.
    package var pageSize: Int32
    package var pageToken: UTF8Text
    package var readTime: ReadTime?

    package init(parent: ParentName, pageSize: Int32 = 0, pageToken: UTF8Text = "", readTime: ReadTime? = nil) {
        self.parent = parent
        self.pageSize = pageSize
        self.pageToken = pageToken
        self.readTime = readTime
    }

    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: ListCollectionIdsRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: ListCollectionIdsRequestEnvelope) throws(DocumentError) {
        self.parent = try ParentName(parsing: envelope.parent.bytes)
        self.pageSize = envelope.page_size
        self.pageToken = try envelope.page_token.text("page_token")
        let hasTime =
            envelope.consistency_selector_case
            == BRASA__WIRE__LIST_COLLECTION_IDS_REQUEST__CONSISTENCY_SELECTOR_READ_TIME
        self.readTime = hasTime ? try BrasaWire.readTime(envelope.read_time) : nil
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension ListCollectionIdsRequest: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.keep(1, self.parent)
        sink.write(2, int32: self.pageSize)
        sink.write(3, bytes: self.pageToken.bytes)
        sink.write(4, self.readTime?.time)
    }
}
