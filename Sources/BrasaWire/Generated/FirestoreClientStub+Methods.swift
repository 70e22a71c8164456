// Made by scripts/generate from proto/. Do not edit.

package import BrasaGRPC

extension FirestoreClientStub {
    @discardableResult
    package func getDocument(
        _ request: GetDocumentRequest,
        completion: @escaping (Result<NamedDocument, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.unary(0, request, completion)
    }

    @discardableResult
    package func listDocuments(
        _ request: ListDocumentsRequest,
        completion: @escaping (Result<ListDocumentsResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.unary(1, request, completion)
    }

    @discardableResult
    package func updateDocument(
        _ request: UpdateDocumentRequest,
        completion: @escaping (Result<NamedDocument, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.unary(2, request, completion)
    }

    @discardableResult
    package func deleteDocument(
        _ request: DeleteDocumentRequest,
        completion: @escaping (Result<EmptyResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.unary(3, request, completion)
    }

    @discardableResult
    package func batchGetDocuments(
        _ request: BatchGetDocumentsRequest,
        received: @escaping (BatchGetDocumentsResponse) -> Void,
        finished: @escaping (GRPCCallResult) -> Void
    ) -> GRPCClientCall {
        self.serverStreaming(4, request, received, finished)
    }

    @discardableResult
    package func beginTransaction(
        _ request: BeginTransactionRequest,
        completion: @escaping (Result<BeginTransactionResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.unary(5, request, completion)
    }

    @discardableResult
    package func commit(
        _ request: CommitRequest,
        completion: @escaping (Result<CommitResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.unary(6, request, completion)
    }

    @discardableResult
    package func rollback(
        _ request: RollbackRequest,
        completion: @escaping (Result<EmptyResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.unary(7, request, completion)
    }

    @discardableResult
    package func runQuery(
        _ request: RunQueryRequest,
        received: @escaping (RunQueryResponse) -> Void,
        finished: @escaping (GRPCCallResult) -> Void
    ) -> GRPCClientCall {
        self.serverStreaming(8, request, received, finished)
    }

    @discardableResult
    package func executePipeline(
        _ request: UntypedMessage,
        received: @escaping (UntypedMessage) -> Void,
        finished: @escaping (GRPCCallResult) -> Void
    ) -> GRPCClientCall {
        self.serverStreaming(9, request, received, finished)
    }

    @discardableResult
    package func runAggregationQuery(
        _ request: UntypedMessage,
        received: @escaping (UntypedMessage) -> Void,
        finished: @escaping (GRPCCallResult) -> Void
    ) -> GRPCClientCall {
        self.serverStreaming(10, request, received, finished)
    }

    @discardableResult
    package func partitionQuery(
        _ request: UntypedMessage,
        completion: @escaping (Result<UntypedMessage, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.unary(11, request, completion)
    }

    package func write(
        received: @escaping (UntypedMessage) -> Void,
        becameWritable: @escaping () -> Void = {},
        finished: @escaping (GRPCCallResult) -> Void
    ) -> FirestoreRequestStream<UntypedMessage> {
        self.bidirectional(12, received, becameWritable, finished)
    }

    package func listen(
        received: @escaping (UntypedMessage) -> Void,
        becameWritable: @escaping () -> Void = {},
        finished: @escaping (GRPCCallResult) -> Void
    ) -> FirestoreRequestStream<UntypedMessage> {
        self.bidirectional(13, received, becameWritable, finished)
    }

    @discardableResult
    package func listCollectionIds(
        _ request: ListCollectionIdsRequest,
        completion: @escaping (Result<ListCollectionIdsResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.unary(14, request, completion)
    }

    @discardableResult
    package func batchWrite(
        _ request: BatchWriteRequest,
        completion: @escaping (Result<BatchWriteResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.unary(15, request, completion)
    }

    @discardableResult
    package func createDocument(
        _ request: CreateDocumentRequest,
        completion: @escaping (Result<NamedDocument, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.unary(16, request, completion)
    }
}
