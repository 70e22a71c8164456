import BrasaDocuments
import BrasaGRPC
import BrasaQueries
import BrasaStore
import BrasaTransactions
import BrasaWire
import NIOCore

/// RunAggregationQuery: one message in any case, since some clients read no second.
extension FirestoreService {
    func runAggregationQuery(_ call: GRPCServerCall, _ message: ByteBuffer) -> (any GRPCServerStreamHandler)? {
        let request = call.decode { () throws(WireError) in try RunAggregationQueryRequest(decoding: message) }
        guard let request else { return nil }
        guard let structured = request.query else {
            call.finish(.onlyStructuredAggregations)
            return nil
        }
        do throws(QueryError) {
            let query = try AggregationQuery(structured, parent: request.parent)
            let stream = ResponseStream(call)
            self.run(query, for: request, on: call, stream)
            return call.isFinished ? nil : stream
        } catch {
            call.finish(GRPCStatus(error))
            return nil
        }
    }

    private func run(
        _ query: AggregationQuery,
        for request: RunAggregationQueryRequest,
        on call: GRPCServerCall,
        _ stream: ResponseStream
    ) {
        let database = self.store.database(query.query.database)
        if request.explain == ExplainOptions(analyze: false) {
            return self.explain(query.query, in: database, on: call, isAnyOrder: true) { metrics in
                let response = RunAggregationQueryResponse(result: nil, readTime: nil, metrics: metrics)
                call.send(call.message { response.encode(into: &$0) })
            }
        }
        let explanation = request.explain.map { _ in QueryExplanation(on: self.eventLoop) }
        self.withAccess(to: QueryRange(query.query), in: database, request.consistency, for: call) {
            (access) throws(StoreError) in
            let run = try self.start(query.query, access, isAnyOrder: true)
            let answer = AggregationAnswer(AggregationRun(query, run), access, call: call, explanation: explanation)
            stream.run { answer.next() }
        }
    }
}

/// Works on aggregations until they are done, and makes the one message of their stream.
private final class AggregationAnswer {
    private var run: AggregationRun
    private let access: QueryAccess
    private let call: GRPCServerCall
    private var explanation: QueryExplanation?
    private var isAnswered = false

    init(_ run: AggregationRun, _ access: QueryAccess, call: GRPCServerCall, explanation: QueryExplanation?) {
        self.run = run
        self.access = access
        self.call = call
        self.explanation = explanation
    }

    func next() -> ResponseStream.Part {
        guard !self.isAnswered else { return .end }
        do throws(GRPCStatus) {
            if try self.step() { return .yield }
        } catch {
            return .failure(error)
        }
        self.isAnswered = true
        let response = RunAggregationQueryResponse(
            result: self.run.result,
            readTime: self.access.time,
            transaction: self.access.begun?.bytes ?? [],
            metrics: self.explanation?.metrics(ofAggregation: self.run.run)
        )
        return .message(self.call.message(size: 512) { response.encode(into: &$0) })
    }

    private func step() throws(GRPCStatus) -> Bool {
        guard self.explanation != nil else { return try self.run.step() }
        return try self.explanation?.measure { () throws(GRPCStatus) in try self.run.step() } ?? false
    }
}
