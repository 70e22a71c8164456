import BrasaDocuments
import BrasaGRPC
import BrasaQueries
import BrasaStore
import BrasaWire
import NIOCore

/// The response messages of one query, made one at a time from a scan: the count of skipped documents if there is an
/// offset, then the documents; at least one message in any case, since clients take the read time from it.
final class QueryResults {
    /// How much of the scan is fetched at once.
    private static let chunk = 64
    private static let skippedChunk = 1024

    /// Called with the last document when the query's limit ends the results.
    var onLimit: ((ResourcePath) -> Void)?

    private let query: NameQuery
    private var scan: NameScan
    private let database: DatabaseName
    private let readTime: Timestamp
    private let call: GRPCServerCall
    private var fetched: ArraySlice<NameScan.Entry> = []
    private var isExhausted = false
    private var hasSkipped = false
    private var skipped = 0
    private var returned = 0
    private var hasAnswered = false

    init(_ query: NameQuery, scan: NameScan, database: DatabaseName, readTime: Timestamp, call: GRPCServerCall) {
        self.query = query
        self.scan = scan
        self.database = database
        self.readTime = readTime
        self.call = call
    }

    func next() -> ResponseStream.Part {
        if self.query.limit == 0 { return self.end() }
        do throws(StoreError) {
            if self.skipped < self.query.offset, !self.hasSkipped { return try self.skip() }
            if self.fetched.isEmpty, !self.isExhausted { try self.fetch() }
        } catch {
            return .failure(GRPCStatus(error))
        }
        guard let entry = self.fetched.popFirst() else { return self.end() }
        self.returned += 1
        if self.returned == self.query.limit {
            self.onLimit?(entry.path)
            self.fetched = []
            self.isExhausted = true
        }
        return self.answer(entry)
    }

    /// Passes over one chunk of the offset, so that a large one does not hold up the loop, and says at its end how many
    /// documents there were.
    private func skip() throws(StoreError) -> ResponseStream.Part {
        let wanted = min(Self.skippedChunk, self.query.offset - self.skipped)
        let count = try self.scan.skip(wanted)
        self.skipped += count
        self.isExhausted = count < wanted
        guard self.isExhausted || self.skipped == self.query.offset else { return .yield }
        self.hasSkipped = true
        return self.answer(RunQueryResponse(readTime: self.readTime, skippedResults: Int32(self.skipped)), 32)
    }

    private func fetch() throws(StoreError) {
        let rest = (self.query.limit ?? .max) - self.returned
        let chunk = try self.scan.next(min(Self.chunk, rest))
        self.isExhausted = chunk.isEmpty
        self.fetched = chunk[...]
    }

    private func end() -> ResponseStream.Part {
        guard self.hasAnswered else { return self.answer(RunQueryResponse(readTime: self.readTime), 32) }
        return .end
    }

    private func answer(_ entry: NameScan.Entry) -> ResponseStream.Part {
        guard let name = DocumentName(database: self.database, path: entry.path) else { return .yield }
        let document = entry.document?.masked(by: self.query.projection)
        let response = RunQueryResponse(
            document: NamedDocument(name: name, document: document),
            readTime: self.readTime
        )
        return self.answer(response, (document?.wireSizeEstimate ?? 224) + 32)
    }

    private func answer(_ response: RunQueryResponse, _ size: Int) -> ResponseStream.Part {
        self.hasAnswered = true
        return .message(self.call.message(size: size) { response.encode(into: &$0) })
    }
}
