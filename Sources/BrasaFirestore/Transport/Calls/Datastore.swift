package import BrasaDocuments
internal import BrasaGRPC
package import BrasaMessages
internal import BrasaStatus
internal import BrasaWire
package import NIOCore

/// The database's calls that are no streams, from any task. Cancelling the task cancels the call, unless it was sent and its
/// answer is wanted.
package struct Datastore: Sendable {
    private let caller: Caller

    package init(_ caller: Caller) {
        self.caller = caller
    }

    package var database: DatabaseName { self.caller.database }

    package func commit(
        _ request: CommitRequest,
        whenCancelled cancellation: CallCancellation = .ends
    ) async throws(CallError) -> CommitResponse {
        try await self.unary(.commit, request, CallOptions(cancellation: cancellation))
    }

    package func batchWrite(_ request: BatchWriteRequest) async throws(CallError) -> BatchWriteResponse {
        try await self.unary(.batchWrite, request)
    }

    package func beginTransaction(
        _ request: BeginTransactionRequest
    ) async throws(CallError) -> BeginTransactionResponse {
        try await self.unary(.beginTransaction, request)
    }

    /// In the method's own time, or in less.
    package func rollback(_ request: RollbackRequest, within time: TimeAmount? = nil) async throws(CallError) {
        let _: EmptyResponse = try await self.unary(.rollback, request, CallOptions(timeMax: time))
    }

    package func listCollectionIds(
        _ request: ListCollectionIdsRequest
    ) async throws(CallError) -> ListCollectionIdsResponse {
        try await self.unary(.listCollectionIds, request)
    }

    /// All responses: one for each document, in any order, and perhaps one with the transaction before them.
    package func batchGetDocuments(
        _ request: BatchGetDocumentsRequest
    ) async throws(CallError) -> [BatchGetDocumentsResponse] {
        try await self.call(.batchGetDocuments, request)
    }

    /// All responses, in the query's order.
    package func runQuery(_ request: RunQueryRequest) async throws(CallError) -> [RunQueryResponse] {
        try await self.call(.runQuery, request)
    }

    package func runAggregationQuery(
        _ request: RunAggregationQueryRequest
    ) async throws(CallError) -> [RunAggregationQueryResponse] {
        try await self.call(.runAggregationQuery, request)
    }

    private func unary<Request: WireRequest, Response: WireResponse>(
        _ method: CallMethod,
        _ request: Request,
        _ options: CallOptions = CallOptions()
    ) async throws(CallError) -> Response {
        let responses: [Response] = try await self.call(method, request, options)
        // gRPC has seen to it that there is exactly one.
        guard let response = responses.first else {
            throw CallError(GRPCStatus(.internal, "There is no response"), mayHaveBeenApplied: method.changesDocuments)
        }
        return response
    }

    private func call<Request: WireRequest, Response: WireResponse>(
        _ method: CallMethod,
        _ request: Request,
        _ options: CallOptions = CallOptions()
    ) async throws(CallError) -> [Response] {
        let traced = self.caller.traced(method)
        let call = RetryingCall<Request, Response>(self.caller, method, request, options, traced: traced)
        let eventLoop = self.caller.eventLoop
        let result: Result<[Response], CallError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                eventLoop.execute { call.start { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            eventLoop.execute { call.cancel() }
        }
        return try result.get()
    }
}
