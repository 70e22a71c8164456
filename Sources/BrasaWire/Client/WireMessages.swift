internal import BrasaDocuments
package import BrasaMessages
package import NIOCore

/// What a client sends.
package protocol WireRequest: Sendable {
    func encode(into buffer: inout ByteBuffer)
}

/// What a server sends.
package protocol WireResponse: Sendable {
    init(decoding buffer: ByteBuffer) throws(WireError)

    func encode(into buffer: inout ByteBuffer)

    /// About how many bytes it takes, so that its buffer need not grow in nearly all cases.
    var byteCountEstimate: Int { get }
}

extension WireResponse {
    package var byteCountEstimate: Int { 64 }
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
extension HealthCheckRequest: WireRequest {}
extension ServerReflectionRequest: WireRequest {}

extension NamedDocument: WireResponse {
    /// Name and times beside the fields.
    package var byteCountEstimate: Int { (self.document?.fields.bytes.count ?? 0) + 224 }
}
extension EmptyResponse: WireResponse {}
extension ListDocumentsResponse: WireResponse {}
extension BatchGetDocumentsResponse: WireResponse {
    package var byteCountEstimate: Int {
        if case .found(let document) = self.result { document.byteCountEstimate + 32 } else { 256 }
    }
}
extension BeginTransactionResponse: WireResponse {}
extension CommitResponse: WireResponse {}
extension RunQueryResponse: WireResponse {
    package var byteCountEstimate: Int {
        (self.document?.byteCountEstimate ?? 0) + (self.isPlain ? 32 : 512)
    }
}
extension RunAggregationQueryResponse: WireResponse {
    package var byteCountEstimate: Int { 512 }
}
extension PartitionQueryResponse: WireResponse {}
extension ListCollectionIdsResponse: WireResponse {}
extension BatchWriteResponse: WireResponse {}
extension WriteResponse: WireResponse {
    package var byteCountEstimate: Int { 64 + 24 * self.writeResults.count }
}
extension ListenResponse: WireResponse {
    package var byteCountEstimate: Int {
        if case .documentChange(let change) = self { change.document.byteCountEstimate + 32 } else { 64 }
    }
}
extension ListIndexesResponse: WireResponse {}
extension HealthCheckResponse: WireResponse {
    package var byteCountEstimate: Int { 2 }
}
extension ServerReflectionResponse: WireResponse {
    package var byteCountEstimate: Int { self.contentBytes + 64 }
}
