import BrasaDocuments
package import BrasaMessages
import BrasaQueries
import BrasaRules
import BrasaStore
import BrasaTransactions
import NIOCore

/// RunQuery.
extension FirestoreService {
    /// What the message of a request asks for, if that is known on this loop.
    package func recentQuery(in message: HashedMessage) -> AskedQuery? {
        self.eventLoop.assertInEventLoop()
        return self.queries.find(message)
    }

    /// Checks a request, which may be known from now on.
    package func noted(_ request: RunQueryRequest, in message: HashedMessage) -> AskedQuery {
        self.eventLoop.assertInEventLoop()
        return self.queries.note(request, in: message)
    }

    package func runQuery(_ asked: AskedQuery, for call: Call<RunQueryResponse>) -> CallObserver? {
        let request = asked.request
        var judge: CallJudge?
        guard self.admits(call, to: .read, request.parent.database, &judge) else { return nil }
        do throws(QueryError) {
            guard let structured = request.query, let query = try asked.checked.get() else {
                call.finish(.onlyStructuredQueries)
                return nil
            }
            let stream = ResponseStream(call, in: self.turns)
            let read = judge.map { JudgedRead(judge: $0, demand: .query(structured, query)) }
            self.run(query, read, for: asked, on: call, stream)
            return call.isFinished ? nil : stream
        } catch {
            call.finish(Status(error))
            return nil
        }
    }

    private func run(
        _ query: Query,
        _ read: JudgedRead?,
        for asked: AskedQuery,
        on call: Call<RunQueryResponse>,
        _ stream: ResponseStream<RunQueryResponse>
    ) {
        let request = asked.request
        let database = self.database(query.database)
        if request.explain == ExplainOptions(analyze: false) {
            return self.explain(query, read, in: database, on: call) { metrics in
                call.send(RunQueryResponse(readTime: nil, metrics: metrics))
            }
        }
        let explanation = request.explain.map { _ in QueryExplanation(on: self.eventLoop) }
        self.withAccess(
            to: QueryRange(query),
            in: database,
            request.consistency,
            for: call,
            read,
            began: { id in
                call.send(RunQueryResponse(readTime: nil, transaction: id.bytes))
            },
            { (access) throws(StoreError) in
                let run = try self.start(query, access, &asked.planned)
                let results = QueryResults(run, access, explanation: explanation)
                stream.run { results.next() }
            }
        )
    }

    func start(
        _ query: Query,
        _ access: QueryAccess,
        isAnyOrder: Bool = false
    ) throws(StoreError) -> QueryRun {
        var planned: PlannedQuery?
        return try self.start(query, access, isAnyOrder: isAnyOrder, &planned)
    }

    /// - Parameters:
    ///   - isAnyOrder: that the order of the results does not matter, unless it says which there are.
    ///   - planned: how the query was answered last, and is now.
    func start(
        _ query: Query,
        _ access: QueryAccess,
        isAnyOrder: Bool = false,
        _ planned: inout PlannedQuery?
    ) throws(StoreError) -> QueryRun {
        let isWhole = query.offset == 0 && query.limit == nil
        return QueryRun(
            query,
            try self.store.query(
                query,
                in: access.database,
                at: access.time,
                isAnyOrder: isWhole && (isAnyOrder || query.nearest != nil),
                plans: self.plans,
                &planned
            ),
            onLimit: access.isLocking ? self.narrowing(query, access) : nil
        )
    }

    /// What lies behind the limit was not seen, so others may go on writing there.
    private func narrowing(_ query: Query, _ access: QueryAccess) -> (OrderPreservingKey?) -> Void {
        { through in
            guard let through else { return }
            self.narrow(access, to: QueryRange(query, through: through))
        }
    }

    /// Plans a query without running it, which needs no time to read at and no lock, and ends the call.
    func explain<Response>(
        _ query: Query,
        _ read: JudgedRead?,
        in database: DatabaseHandle,
        on call: Call<Response>,
        isAnyOrder: Bool = false,
        _ answer: (ExplainMetrics) -> Void
    ) {
        guard self.allows(read, in: database, at: nil, for: call) else { return }
        do throws(StoreError) {
            let access = QueryAccess(database: database, time: self.store.strongReadTime())
            let run = try self.start(query, access, isAnyOrder: isAnyOrder)
            answer(ExplainMetrics(indexesUsed: QueryExplanation.plan(of: run)))
            call.finish(.ok)
        } catch {
            call.finish(Status(error))
        }
    }
}
