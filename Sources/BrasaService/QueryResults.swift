import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaStore

/// The responses of one query, made a few kilobytes at a time: the count of skipped documents if there is an offset, then the
/// documents; at least one in any case, since clients take the read time from it. An explanation goes with the
/// last, which is therefore held back until it is known to be it.
final class QueryResults {
    private var run: QueryRun
    private let access: QueryAccess
    private var explanation: QueryExplanation?
    private var found: [QueryRun.Found] = []
    /// How many of them have been taken.
    private var taken = 0
    private var hasToldSkipped: Bool
    private var hasAnswered = false
    private var isYieldDue = false
    private var heldBack: RunQueryResponse?

    init(_ run: QueryRun, _ access: QueryAccess, explanation: QueryExplanation?) {
        self.run = run
        self.access = access
        self.explanation = explanation
        self.hasToldSkipped = run.query.offset == 0 || run.query.limit == 0
    }

    /// Documents come to about this together before they are sent.
    private static let bytesAtOnce = 16 << 10

    func next() -> ResponseStream<RunQueryResponse>.Part {
        if let response = self.takeResponse() {
            // The last one has to be held back.
            return self.explanation == nil ? self.sendAll(from: response) : self.send(response)
        }
        guard !self.run.isAtEnd else { return self.end() }
        if self.isYieldDue {
            self.isYieldDue = false
            return .yield
        }
        do throws(Status) {
            self.found = try self.step()
            self.taken = 0
        } catch {
            return .failure(error)
        }
        // A step that found little may have looked at much: others get their turn before the next.
        self.isYieldDue = self.found.count < QueryRun.chunk
        return self.next()
    }

    private func step() throws(Status) -> [QueryRun.Found] {
        guard self.explanation != nil else { return try self.run.next() }
        return try self.explanation?.measure { () throws(Status) in try self.run.next() } ?? []
    }

    /// What can be answered with what is known so far.
    private func takeResponse() -> RunQueryResponse? {
        if !self.hasToldSkipped, self.run.hasSkipped {
            self.hasToldSkipped = true
            return RunQueryResponse(readTime: self.access.time, skippedResults: Int32(self.run.skipped))
        }
        guard self.taken < self.found.count else { return nil }
        self.taken += 1
        return self.response(self.found[self.taken - 1], of: self.access.database.name, self.run.query.projection)
    }

    private func response(
        _ found: QueryRun.Found,
        of database: DatabaseName,
        _ projection: FieldMask?
    ) -> RunQueryResponse? {
        // Nothing but documents is found.
        guard let name = DocumentName(database: database, path: found.path) else { return nil }
        let document = NamedDocument(name: name, document: found.document.masked(by: projection))
        return RunQueryResponse(document: document, readTime: self.access.time)
    }

    private func sendAll(from first: RunQueryResponse) -> ResponseStream<RunQueryResponse>.Part {
        self.hasAnswered = true
        let (found, database, projection) = (self.found, self.access.database.name, self.run.query.projection)
        var responses = [first]
        responses.reserveCapacity(found.count - self.taken + 1)
        var bytes = first.documentBytes
        while bytes < Self.bytesAtOnce, self.taken < found.count {
            let next = found[self.taken]
            self.taken += 1
            guard let response = self.response(next, of: database, projection) else { continue }
            bytes += response.documentBytes
            responses.append(response)
        }
        return .responses(responses, byteCount: bytes)
    }

    private func send(_ response: RunQueryResponse) -> ResponseStream<RunQueryResponse>.Part {
        self.hasAnswered = true
        guard self.explanation != nil else { return .response(response) }
        let previous = self.heldBack
        self.heldBack = response
        return previous.map { .response($0) } ?? self.next()
    }

    private func end() -> ResponseStream<RunQueryResponse>.Part {
        if let explanation = self.explanation.take() {
            let last = self.heldBack.take() ?? RunQueryResponse(readTime: self.access.time)
            self.hasAnswered = true
            return .response(last.explained(by: explanation.metrics(of: self.run)))
        }
        guard !self.hasAnswered else { return .end }
        return self.send(RunQueryResponse(readTime: self.access.time))
    }
}

extension RunQueryResponse {
    /// About: besides the fields there are the name and times.
    fileprivate var documentBytes: Int { 192 + (self.document?.document?.fields.bytes.count ?? 0) }
}
