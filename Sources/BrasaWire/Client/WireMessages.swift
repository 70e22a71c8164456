package import NIOCore

/// What a client sends: any message here that can be appended to a buffer.
package protocol WireRequest: Sendable {
    func encode(into buffer: inout ByteBuffer)
}

/// What a client receives.
package protocol WireResponse: Sendable {
    init(decoding buffer: ByteBuffer) throws(WireError)
}

/// The bytes of a message that has no form of its own here yet.
package struct UntypedMessage: WireRequest, WireResponse {
    package var bytes: ByteBuffer

    package init(bytes: ByteBuffer) {
        self.bytes = bytes
    }

    package init(decoding buffer: ByteBuffer) {
        self.bytes = buffer
    }

    package func encode(into buffer: inout ByteBuffer) {
        buffer.writeImmutableBuffer(self.bytes)
    }
}

extension GetDocumentRequest: WireRequest {}
extension ListDocumentsRequest: WireRequest {}
extension CreateDocumentRequest: WireRequest {}
extension UpdateDocumentRequest: WireRequest {}
extension DeleteDocumentRequest: WireRequest {}
extension BatchGetDocumentsRequest: WireRequest {}
extension BeginTransactionRequest: WireRequest {}
extension CommitRequest: WireRequest {}
extension RollbackRequest: WireRequest {}
extension RunQueryRequest: WireRequest {}
extension RunAggregationQueryRequest: WireRequest {}
extension PartitionQueryRequest: WireRequest {}
extension ListCollectionIdsRequest: WireRequest {}
extension BatchWriteRequest: WireRequest {}
extension WriteRequest: WireRequest {}
extension ListenRequest: WireRequest {}
extension ListIndexesRequest: WireRequest {}

extension NamedDocument: WireResponse {}
extension EmptyResponse: WireResponse {}
extension ListDocumentsResponse: WireResponse {}
extension BatchGetDocumentsResponse: WireResponse {}
extension BeginTransactionResponse: WireResponse {}
extension CommitResponse: WireResponse {}
extension RunQueryResponse: WireResponse {}
extension RunAggregationQueryResponse: WireResponse {}
extension PartitionQueryResponse: WireResponse {}
extension ListCollectionIdsResponse: WireResponse {}
extension BatchWriteResponse: WireResponse {}
extension WriteResponse: WireResponse {}
extension ListenResponse: WireResponse {}
extension ListIndexesResponse: WireResponse {}
