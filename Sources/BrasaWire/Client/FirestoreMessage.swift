package import NIOCore

/// What a client sends: any message here that can be appended to a buffer.
package protocol FirestoreRequest: Sendable {
    func encode(into buffer: inout ByteBuffer)
}

/// What a client receives.
package protocol FirestoreResponse: Sendable {
    init(decoding buffer: ByteBuffer) throws(WireError)
}

/// The bytes of a message that has no form of its own here yet.
package struct UntypedMessage: FirestoreRequest, FirestoreResponse {
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

extension GetDocumentRequest: FirestoreRequest {}
extension ListDocumentsRequest: FirestoreRequest {}
extension CreateDocumentRequest: FirestoreRequest {}
extension UpdateDocumentRequest: FirestoreRequest {}
extension DeleteDocumentRequest: FirestoreRequest {}
extension BatchGetDocumentsRequest: FirestoreRequest {}
extension BeginTransactionRequest: FirestoreRequest {}
extension CommitRequest: FirestoreRequest {}
extension RollbackRequest: FirestoreRequest {}
extension RunQueryRequest: FirestoreRequest {}
extension ListCollectionIdsRequest: FirestoreRequest {}
extension BatchWriteRequest: FirestoreRequest {}

extension NamedDocument: FirestoreResponse {}
extension EmptyResponse: FirestoreResponse {}
extension ListDocumentsResponse: FirestoreResponse {}
extension BatchGetDocumentsResponse: FirestoreResponse {}
extension BeginTransactionResponse: FirestoreResponse {}
extension CommitResponse: FirestoreResponse {}
extension RunQueryResponse: FirestoreResponse {}
extension ListCollectionIdsResponse: FirestoreResponse {}
extension BatchWriteResponse: FirestoreResponse {}
