import BrasaDocuments
package import BrasaMessages
package import BrasaQueries
import BrasaRules
import BrasaStore
import BrasaTransactions
package import NIOCore

/// RunQuery.
extension FirestoreService {
    /// What the message of a request asks for, if that is known on this loop.
    /// - Parameter outline: takes the message apart.
    package func query(
        in message: ByteBuffer,
        outline: (ByteBuffer) -> QueryOutline?
    ) -> FoundRequest<Query> {
        self.eventLoop.assertInEventLoop()
        return self.queries.find(message, outline: outline)
    }

    /// Of a request that was new: it may be known from now on.
    package func note(_ asked: AskedQuery, of request: NewRequest) {
        self.eventLoop.assertInEventLoop()
        self.queries.note(asked, of: request)
    }

    package func runQuery(_ asked: AskedQuery, for call: Call<RunQueryResponse>) -> CallObserver? {
        var judge: CallJudge?
        guard self.admits(call, to: .read, asked.head.database, &judge) else { return nil }
        do throws(QueryError) {
            guard let query = try asked.checked.get() else {
                call.finish(.onlyStructuredQueries)
                return nil
            }
            let stream = ResponseStream(call, in: self.turns)
            let read = judge.map { JudgedRead(judge: $0, demand: .query(asked.head.query, query)) }
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
        let head = asked.head
        let database = self.database(query.database)
        if head.explain == ExplainOptions(analyze: false) {
            return self.explain(query, read, in: database, on: call) { metrics in
                call.send(RunQueryResponse(readTime: nil, metrics: metrics))
            }
        }
        let explanation = head.explain.map { _ in QueryExplanation(on: self.eventLoop) }
        self.withAccess(
            to: QueryRange(query),
            in: database,
            head.consistency,
            for: call,
            read,
            began: { id in
                call.send(RunQueryResponse(readTime: nil, transaction: id.bytes))
            },
            { (access) throws(StoreError) in
                let run = try self.start(query, access, for: asked)
                let results = QueryResults(run, access, explanation: explanation)
                stream.run { results.next() }
            }
        )
    }

    /// Starts a query that was asked for, by what is known of it and of those like it.
    func start<Checked>(
        _ query: Query,
        _ access: QueryAccess,
        isAnyOrder: Bool = false,
        for asked: AskedRequest<Checked>
    ) throws(StoreError) -> QueryRun {
        let other = asked.prepared?.planned
        let run = try self.start(query, access, isAnyOrder: isAnyOrder, like: other, &asked.planned)
        asked.prepared?.planned = asked.planned
        return run
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
    ///   - like: how a query was answered that differs in values alone.
    ///   - planned: how the query was answered last, and is now.
    private func start(
        _ query: Query,
        _ access: QueryAccess,
        isAnyOrder: Bool,
        like other: PlannedQuery? = nil,
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
                like: other,
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
