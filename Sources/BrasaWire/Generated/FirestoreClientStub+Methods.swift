// Made by scripts/generate from proto/. Do not edit.

package import BrasaGRPC
package import BrasaMessages

extension FirestoreClientStub {
    @discardableResult
    package func getDocument(
        _ request: GetDocumentRequest,
        completion: @escaping (Result<NamedDocument, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.calls.unary(0, request, completion)
    }

    @discardableResult
    package func listDocuments(
        _ request: ListDocumentsRequest,
        completion: @escaping (Result<ListDocumentsResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.calls.unary(1, request, completion)
    }

    @discardableResult
    package func updateDocument(
        _ request: UpdateDocumentRequest,
        completion: @escaping (Result<NamedDocument, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.calls.unary(2, request, completion)
    }

    @discardableResult
    package func deleteDocument(
        _ request: DeleteDocumentRequest,
        completion: @escaping (Result<EmptyResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.calls.unary(3, request, completion)
    }

    @discardableResult
    package func batchGetDocuments(
        _ request: BatchGetDocumentsRequest,
        received: @escaping (BatchGetDocumentsResponse) -> Void,
        finished: @escaping (GRPCCallResult) -> Void
    ) -> GRPCClientCall {
        self.calls.serverStreaming(4, request, received, finished)
    }

    @discardableResult
    package func beginTransaction(
        _ request: BeginTransactionRequest,
        completion: @escaping (Result<BeginTransactionResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.calls.unary(5, request, completion)
    }

    @discardableResult
    package func commit(
        _ request: CommitRequest,
        completion: @escaping (Result<CommitResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.calls.unary(6, request, completion)
    }

    @discardableResult
    package func rollback(
        _ request: RollbackRequest,
        completion: @escaping (Result<EmptyResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.calls.unary(7, request, completion)
    }

    @discardableResult
    package func runQuery(
        _ request: RunQueryRequest,
        received: @escaping (RunQueryResponse) -> Void,
        finished: @escaping (GRPCCallResult) -> Void
    ) -> GRPCClientCall {
        self.calls.serverStreaming(8, request, received, finished)
    }

    @discardableResult
    package func executePipeline(
        _ request: UntypedMessage,
        received: @escaping (UntypedMessage) -> Void,
        finished: @escaping (GRPCCallResult) -> Void
    ) -> GRPCClientCall {
        self.calls.serverStreaming(9, request, received, finished)
    }

    @discardableResult
    package func runAggregationQuery(
        _ request: RunAggregationQueryRequest,
        received: @escaping (RunAggregationQueryResponse) -> Void,
        finished: @escaping (GRPCCallResult) -> Void
    ) -> GRPCClientCall {
        self.calls.serverStreaming(10, request, received, finished)
    }

    @discardableResult
    package func partitionQuery(
        _ request: PartitionQueryRequest,
        completion: @escaping (Result<PartitionQueryResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.calls.unary(11, request, completion)
    }

    package func write(
        received: @escaping (WriteResponse) -> Void,
        becameWritable: @escaping () -> Void = {},
        finished: @escaping (GRPCCallResult) -> Void
    ) -> RequestStream<WriteRequest> {
        self.calls.bidirectional(12, received, becameWritable, finished)
    }

    package func listen(
        received: @escaping (ListenResponse) -> Void,
        becameWritable: @escaping () -> Void = {},
        finished: @escaping (GRPCCallResult) -> Void
    ) -> RequestStream<ListenRequest> {
        self.calls.bidirectional(13, received, becameWritable, finished)
    }

    @discardableResult
    package func listCollectionIds(
        _ request: ListCollectionIdsRequest,
        completion: @escaping (Result<ListCollectionIdsResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.calls.unary(14, request, completion)
    }

    @discardableResult
    package func batchWrite(
        _ request: BatchWriteRequest,
        completion: @escaping (Result<BatchWriteResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.calls.unary(15, request, completion)
    }

    @discardableResult
    package func createDocument(
        _ request: CreateDocumentRequest,
        completion: @escaping (Result<NamedDocument, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.calls.unary(16, request, completion)
    }
}
