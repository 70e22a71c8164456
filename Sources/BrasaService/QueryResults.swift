import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaStore

/// The responses of one query, made a few kilobytes at a time: the count of skipped documents if there is an offset, then the
/// documents; at least one in any case, since clients take the read time from it. An explanation goes with the
/// last, which is therefore held back until it is known to be it.
final class QueryResults {
    private let run: QueryRun
    private let access: QueryAccess
    private var explanation: QueryExplanation?
    private var found: [FoundDocument] = []
    /// How many of them have been taken.
    private var taken = 0
    private let isMasked: Bool
    private var hasToldSkipped: Bool
    private var hasAnswered = false
    private var isYieldDue = false
    private var heldBack: RunQueryResponse?

    init(_ run: QueryRun, _ access: QueryAccess, explanation: QueryExplanation?) {
        self.run = run
        self.access = access
        self.explanation = explanation
        self.isMasked = run.query.projection != nil
        self.hasToldSkipped = run.query.offset == 0 || run.query.limit == 0
    }

    /// Documents come to about this together before they are sent.
    private static let bytesAtOnce = 16 << 10

    func next() -> ResponseStream<RunQueryResponse>.Part {
        if !self.hasToldSkipped, self.run.hasSkipped {
            self.hasToldSkipped = true
            return self.send(RunQueryResponse(readTime: self.access.time, skippedResults: Int32(self.run.skipped)))
        }
        if self.taken < self.found.count {
            // The last one has to be held back.
            return self.explanation == nil ? self.takeFound() : self.send(self.takeResponse())
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

    private func step() throws(Status) -> [FoundDocument] {
        guard self.explanation != nil else { return try self.run.next() }
        return try self.explanation?.measure { () throws(Status) in try self.run.next() } ?? []
    }

    /// The next of what was found.
    private func takeResponse() -> RunQueryResponse {
        let found = self.masked(self.found[self.taken])
        self.taken += 1
        return self.batch([found], byteCount: found.messageBytes).response(at: 0)
    }

    /// As much of what was found as is sent at once.
    private func takeFound() -> ResponseStream<RunQueryResponse>.Part {
        self.hasAnswered = true
        let first = self.taken
        var bytes = 0
        guard self.isMasked else {
            while bytes < Self.bytesAtOnce, self.taken < self.found.count {
                bytes += self.found[self.taken].messageBytes
                self.taken += 1
            }
            return .responses(self.batch(self.found[first..<self.taken], byteCount: bytes))
        }
        var masked: [FoundDocument] = []
        masked.reserveCapacity(self.found.count - first)
        while bytes < Self.bytesAtOnce, self.taken < self.found.count {
            let found = self.masked(self.found[self.taken])
            self.taken += 1
            bytes += found.messageBytes
            masked.append(found)
        }
        return .responses(self.batch(masked[...], byteCount: bytes))
    }

    private func masked(_ found: FoundDocument) -> FoundDocument {
        guard self.isMasked else { return found }
        return FoundDocument(path: found.path, document: found.document.masked(by: self.run.query.projection))
    }

    private func batch(_ documents: ArraySlice<FoundDocument>, byteCount: Int) -> FoundDocuments {
        FoundDocuments(
            documents,
            in: self.access.database.name,
            readTime: self.access.time,
            byteCount: byteCount
        )
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

extension FoundDocument {
    /// What its response takes, about: besides the fields there are the name and times.
    fileprivate var messageBytes: Int { 192 + self.document.fields.bytes.count }
}
