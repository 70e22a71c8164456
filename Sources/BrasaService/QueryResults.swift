import BrasaDocuments
import BrasaGRPC
import BrasaQueries
import BrasaStore
import BrasaWire
import NIOCore

/// The response messages of one query, made one at a time: the count of skipped documents if there is an offset, then the
/// documents; at least one message in any case, since clients take the read time from it. An explanation goes with the
/// last, which is therefore held back until it is known to be it.
final class QueryResults {
    private var run: QueryRun
    private let access: QueryAccess
    private let call: GRPCServerCall
    private var explanation: QueryExplanation?
    private var found: ArraySlice<QueryRun.Found> = []
    private var hasToldSkipped: Bool
    private var hasAnswered = false
    private var isYieldDue = false
    private var heldBack: RunQueryResponse?

    init(_ run: QueryRun, _ access: QueryAccess, call: GRPCServerCall, explanation: QueryExplanation?) {
        self.run = run
        self.access = access
        self.call = call
        self.explanation = explanation
        self.hasToldSkipped = run.query.offset == 0 || run.query.limit == 0
    }

    func next() -> ResponseStream.Part {
        if let response = self.takeResponse() { return self.send(response) }
        guard !self.run.isAtEnd else { return self.end() }
        if self.isYieldDue {
            self.isYieldDue = false
            return .yield
        }
        do throws(GRPCStatus) {
            self.found = try self.step()[...]
        } catch {
            return .failure(error)
        }
        // A step that found little may have looked at much: others get their turn before the next.
        self.isYieldDue = self.found.count < QueryRun.chunk
        return self.next()
    }

    private func step() throws(GRPCStatus) -> [QueryRun.Found] {
        guard self.explanation != nil else { return try self.run.next() }
        return try self.explanation?.measure { () throws(GRPCStatus) in try self.run.next() } ?? []
    }

    /// What can be answered with what is known so far.
    private func takeResponse() -> RunQueryResponse? {
        if !self.hasToldSkipped, self.run.hasSkipped {
            self.hasToldSkipped = true
            return RunQueryResponse(readTime: self.access.time, skippedResults: Int32(self.run.skipped))
        }
        guard let found = self.found.popFirst(),
            let name = DocumentName(database: self.access.database.name, path: found.path)
        else { return nil }
        let document = found.document.masked(by: self.run.query.projection)
        return RunQueryResponse(document: NamedDocument(name: name, document: document), readTime: self.access.time)
    }

    private func send(_ response: RunQueryResponse) -> ResponseStream.Part {
        self.hasAnswered = true
        guard self.explanation != nil else { return self.message(response) }
        let previous = self.heldBack
        self.heldBack = response
        return previous.map { self.message($0) } ?? self.next()
    }

    private func end() -> ResponseStream.Part {
        if let explanation = self.explanation.take() {
            var last = self.heldBack.take() ?? RunQueryResponse(readTime: self.access.time)
            last.metrics = explanation.metrics(of: self.run)
            self.hasAnswered = true
            return self.message(last)
        }
        guard !self.hasAnswered else { return .end }
        return self.send(RunQueryResponse(readTime: self.access.time))
    }

    private func message(_ response: RunQueryResponse) -> ResponseStream.Part {
        let size = (response.document?.document?.wireSizeEstimate ?? 0) + (response.metrics == nil ? 32 : 512)
        return .message(self.call.message(size: size) { response.encode(into: &$0) })
    }
}
