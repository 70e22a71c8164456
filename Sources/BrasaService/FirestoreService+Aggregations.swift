import BrasaDocuments
package import BrasaMessages
import BrasaQueries
import BrasaRules
import BrasaStore
import BrasaTransactions
import NIOCore

/// RunAggregationQuery: one message in any case, since some clients read no second.
extension FirestoreService {
    /// What the message of a request asks for, if that is known on this loop.
    package func recentAggregation(in message: HashedMessage) -> AskedAggregation? {
        self.eventLoop.assertInEventLoop()
        return self.aggregations.find(message)
    }

    /// Checks a request, which may be known from now on.
    package func noted(_ request: RunAggregationQueryRequest, in message: HashedMessage) -> AskedAggregation {
        self.eventLoop.assertInEventLoop()
        return self.aggregations.note(request, in: message)
    }

    package func runAggregationQuery(
        _ asked: AskedAggregation,
        for call: Call<RunAggregationQueryResponse>
    ) -> CallObserver? {
        let request = asked.request
        var judge: CallJudge?
        guard self.admits(call, to: .read, request.parent.database, &judge) else { return nil }
        do throws(QueryError) {
            guard let query = try asked.checked.get() else {
                call.finish(.onlyStructuredAggregations)
                return nil
            }
            let stream = ResponseStream(call, in: self.turns)
            let read = judge.map {
                JudgedRead(judge: $0, demand: .query(request.query?.query ?? StructuredQuery(), query.query))
            }
            self.run(query, read, for: asked, on: call, stream)
            return call.isFinished ? nil : stream
        } catch {
            call.finish(Status(error))
            return nil
        }
    }

    private func run(
        _ query: AggregationQuery,
        _ read: JudgedRead?,
        for asked: AskedAggregation,
        on call: Call<RunAggregationQueryResponse>,
        _ stream: ResponseStream<RunAggregationQueryResponse>
    ) {
        let request = asked.request
        let database = self.database(query.query.database)
        if request.explain == ExplainOptions(analyze: false) {
            return self.explain(query.query, read, in: database, on: call, isAnyOrder: true) { metrics in
                call.send(RunAggregationQueryResponse(result: nil, readTime: nil, metrics: metrics))
            }
        }
        let explanation = request.explain.map { _ in QueryExplanation(on: self.eventLoop) }
        self.withAccess(to: QueryRange(query.query), in: database, request.consistency, for: call, read) {
            (access) throws(StoreError) in
            if explanation == nil, call.isWritable, let count = try self.count(asked, query, access) {
                var accumulator = AggregateAccumulator(query)
                accumulator.add(count: count)
                call.send(RunAggregationQueryResponse(result: accumulator.fields, readTime: access.time))
                return call.finish(.ok)
            }
            let run = try self.start(query.query, access, isAnyOrder: true, &asked.planned)
            let answer = AggregationAnswer(AggregationRun(query, run), access, explanation: explanation)
            stream.run { answer.next() }
        }
    }

    /// What a count comes to that was asked before, and is answered in one step. Nil: it takes a run. Others are not tried, so
    /// that a long count does not begin twice.
    private func count(
        _ asked: AskedAggregation,
        _ query: AggregationQuery,
        _ access: QueryAccess
    ) throws(StoreError) -> Int? {
        let counted = query.query
        guard let planned = asked.planned, query.countsOnly, !access.isLocking,
            counted.offset == 0, counted.limit == nil, counted.nearest == nil
        else { return nil }
        let most = query.countMax ?? .max
        return try self.store.countInOneVisit(planned, in: access.database, at: access.time, upTo: most)
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
