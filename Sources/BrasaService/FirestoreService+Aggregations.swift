import BrasaDocuments
package import BrasaMessages
import BrasaQueries
import BrasaRules
import BrasaStore
import BrasaTransactions

/// RunAggregationQuery: one message in any case, since some clients read no second.
extension FirestoreService {
    package func runAggregationQuery(
        _ request: RunAggregationQueryRequest,
        for call: Call<RunAggregationQueryResponse>
    ) -> CallObserver? {
        var judge: CallJudge?
        guard self.admits(call, to: .read, request.parent.database, &judge) else { return nil }
        guard let structured = request.query else {
            call.finish(.onlyStructuredAggregations)
            return nil
        }
        do throws(QueryError) {
            let query = try AggregationQuery(structured, parent: request.parent)
            let stream = ResponseStream(call, in: self.turns)
            let read = judge.map {
                JudgedRead(judge: $0, demand: .query(structured.query ?? StructuredQuery(), query.query))
            }
            self.run(query, read, for: request, on: call, stream)
            return call.isFinished ? nil : stream
        } catch {
            call.finish(Status(error))
            return nil
        }
    }

    private func run(
        _ query: AggregationQuery,
        _ read: JudgedRead?,
        for request: RunAggregationQueryRequest,
        on call: Call<RunAggregationQueryResponse>,
        _ stream: ResponseStream<RunAggregationQueryResponse>
    ) {
        let database = self.database(query.query.database)
        if request.explain == ExplainOptions(analyze: false) {
            return self.explain(query.query, read, in: database, on: call, isAnyOrder: true) { metrics in
                call.send(RunAggregationQueryResponse(result: nil, readTime: nil, metrics: metrics))
            }
        }
        let explanation = request.explain.map { _ in QueryExplanation(on: self.eventLoop) }
        self.withAccess(to: QueryRange(query.query), in: database, request.consistency, for: call, read) {
            (access) throws(StoreError) in
            let run = try self.start(query.query, access, isAnyOrder: true)
            let answer = AggregationAnswer(AggregationRun(query, run), access, explanation: explanation)
            stream.run { answer.next() }
        }
    }
}

/// Works on aggregations until they are done, and makes the one response of their stream.
private final class AggregationAnswer {
    private var run: AggregationRun
    private let access: QueryAccess
    private var explanation: QueryExplanation?
    private var isAnswered = false

    init(_ run: AggregationRun, _ access: QueryAccess, explanation: QueryExplanation?) {
        self.run = run
        self.access = access
        self.explanation = explanation
    }

    func next() -> ResponseStream<RunAggregationQueryResponse>.Part {
        guard !self.isAnswered else { return .end }
        do throws(Status) {
            if try self.step() { return .yield }
        } catch {
            return .failure(error)
        }
        self.isAnswered = true
        return .response(
            RunAggregationQueryResponse(
                result: self.run.result,
                readTime: self.access.time,
                transaction: self.access.begun?.bytes ?? [],
                metrics: self.explanation?.metrics(ofAggregation: self.run.run)
            )
        )
    }

    private func step() throws(Status) -> Bool {
        guard self.explanation != nil else { return try self.run.step() }
        return try self.explanation?.measure { () throws(Status) in try self.run.step() } ?? false
    }
}
