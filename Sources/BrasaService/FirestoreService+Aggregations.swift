import BrasaDocuments
package import BrasaMessages
package import BrasaQueries
import BrasaRules
import BrasaStore
import BrasaTransactions
package import NIOCore

/// RunAggregationQuery: one message in any case, since some clients read no second.
extension FirestoreService {
    /// What the message of a request asks for, if that is known on this loop.
    /// - Parameter outline: takes the message apart.
    package func aggregation(
        in message: ByteBuffer,
        outline: (ByteBuffer) -> QueryOutline?
    ) -> FoundRequest<AggregationQuery> {
        self.eventLoop.assertInEventLoop()
        return self.aggregations.find(message, outline: outline)
    }

    /// Of a request that was new: it may be known from now on.
    package func note(_ asked: AskedAggregation, of request: NewRequest) {
        self.eventLoop.assertInEventLoop()
        self.aggregations.note(asked, of: request)
    }

    package func runAggregationQuery(
        _ asked: AskedAggregation,
        for call: Call<RunAggregationQueryResponse>
    ) -> CallObserver? {
        var judge: CallJudge?
        guard self.admits(call, to: .read, asked.head.database, &judge) else { return nil }
        do throws(QueryError) {
            guard let query = try asked.checked.get() else {
                call.finish(.onlyStructuredAggregations)
                return nil
            }
            let stream = ResponseStream(call, in: self.turns)
            let read = judge.map { JudgedRead(judge: $0, demand: .query(asked.head.query, query.query)) }
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
        let head = asked.head
        let database = self.database(query.query.database)
        if head.explain == ExplainOptions(analyze: false) {
            return self.explain(query.query, read, in: database, on: call, isAnyOrder: true) { metrics in
                call.send(RunAggregationQueryResponse(result: nil, readTime: nil, metrics: metrics))
            }
        }
        let explanation = head.explain.map { _ in QueryExplanation(on: self.eventLoop) }
        self.withAccess(to: QueryRange(query.query), in: database, head.consistency, for: call, read) {
            (access) throws(StoreError) in
            if explanation == nil, call.isWritable, let count = try self.count(asked, query, access) {
                var accumulator = AggregateAccumulator(query)
                accumulator.add(count: count)
                call.send(RunAggregationQueryResponse(result: accumulator.fields, readTime: access.time))
                return call.finish(.ok)
            }
            let run = try self.start(query.query, access, isAnyOrder: true, for: asked)
            let answer = AggregationAnswer(AggregationRun(query, run), access, explanation: explanation)
            stream.run { answer.next() }
        }
    }

    /// What a count comes to that is answered in one step. Nil: it takes a run. One that came before is tried unless it was a
    /// long one; another one if none like it was, so that long counts do not begin twice.
    private func count(
        _ asked: AskedAggregation,
        _ query: AggregationQuery,
        _ access: QueryAccess
    ) throws(StoreError) -> Int? {
        let counted = query.query
        let prepared = asked.prepared
        let others = prepared?.isRowLong == false ? prepared?.planned : nil
        guard let last = asked.planned ?? others, last.isRow, query.countsOnly, !access.isLocking,
            counted.offset == 0, counted.limit == nil, counted.nearest == nil
        else { return nil }
        let planned = self.store.plan(
            counted,
            in: access.database,
            isAnyOrder: true,
            plans: self.plans,
            like: prepared?.planned,
            &asked.planned
        )
        prepared?.planned = planned
        let most = query.countMax ?? .max
        let count = try self.store.countInOneVisit(planned, in: access.database, at: access.time, upTo: most)
        if count == nil, planned.isRowLong { prepared?.isRowLong = true }
        return count
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
