import BrasaDocuments
import BrasaGRPC
import BrasaQueries
import BrasaStore
import BrasaTransactions
import BrasaWire
import NIOCore

/// RunQuery, for queries that need nothing but names.
extension FirestoreService {
    func runQuery(_ call: GRPCServerCall, _ message: ByteBuffer) -> (any GRPCServerStreamHandler)? {
        let request = call.decode { () throws(WireError) in try RunQueryRequest(decoding: message) }
        guard let request else { return nil }
        do throws(GRPCStatus) {
            guard let structured = request.query else {
                throw GRPCStatus(.invalidArgument, "only structured queries are supported")
            }
            guard request.explain == nil else { throw .unsupportedClause("explain_options") }
            let query = try NameQuery(structured, parent: request.parent)
            let stream = ResponseStream(call)
            try self.run(query, for: request, on: call, stream)
            return call.isFinished ? nil : stream
        } catch {
            call.finish(error)
            return nil
        }
    }

    private func run(
        _ query: NameQuery,
        for request: RunQueryRequest,
        on call: GRPCServerCall,
        _ stream: ResponseStream
    ) throws(GRPCStatus) {
        let database = self.store.database(request.parent.database)
        switch request.consistency {
        case .strong:
            self.run(query, in: database, at: nil, on: call, stream)
        case .readTime(let time):
            self.run(query, in: database, at: time, on: call, stream)
        case .transaction(let bytes):
            guard let id = TransactionID(bytes: bytes) else { throw GRPCStatus(TransactionError.invalidTransaction) }
            self.run(query, in: database, transaction: id, on: call, stream)
        case .newTransaction(let options):
            self.begin(options, unspecified: .readOnly(readTime: nil), in: database, for: call) { id in
                let first = RunQueryResponse(readTime: nil, transaction: id.bytes)
                call.send(call.message { first.encode(into: &$0) })
                self.run(query, in: database, transaction: id, on: call, stream)
            }
        }
    }

    private func run(
        _ query: NameQuery,
        in database: DatabaseHandle,
        at time: ReadTime?,
        on call: GRPCServerCall,
        _ stream: ResponseStream
    ) {
        self.withReadTime(time, for: call) { (time) throws(StoreError) in
            let scan = try self.store.scan(query.range, in: database, at: time, descending: query.isDescending)
            let results = QueryResults(query, scan: scan, database: database.name, readTime: time, call: call)
            stream.run { results.next() }
        }
    }

    private func run(
        _ query: NameQuery,
        in database: DatabaseHandle,
        transaction id: TransactionID,
        on call: GRPCServerCall,
        _ stream: ResponseStream
    ) {
        let ticket = self.transactions.scan(
            transaction: id,
            database: database,
            range: QueryRange(names: query.range),
            reply: self.reply { result in
                guard let grant = call.value(result) else { return }
                let scan: NameScan
                do throws(StoreError) {
                    scan = try self.store.scan(
                        query.range,
                        in: database,
                        at: grant.readTime,
                        descending: query.isDescending
                    )
                } catch {
                    return call.finish(GRPCStatus(error))
                }
                let results = QueryResults(
                    query,
                    scan: scan,
                    database: database.name,
                    readTime: grant.readTime,
                    call: call
                )
                // What lies behind the limit was not seen, so others may go on writing there.
                results.onLimit = { last in
                    self.transactions.narrowScan(
                        transaction: id,
                        database: database,
                        grant,
                        to: QueryRange(names: query.range.ending(at: last, isDescending: query.isDescending))
                    )
                }
                stream.run { results.next() }
            }
        )
        self.cancel(ticket, with: call)
    }
}

extension NameRange {
    /// What a scan that stopped at this document has seen.
    fileprivate func ending(at path: ResourcePath, isDescending: Bool) -> NameRange {
        let bound = NameBound(path: path, isInclusive: true)
        var range = self
        if isDescending {
            range.lower = NameBound.higher(self.lower, bound)
        } else {
            range.upper = NameBound.lower(self.upper, bound)
        }
        return range
    }
}
