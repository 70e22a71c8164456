import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import BrasaStatus
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

/// Whatever users, server, network and storage do, in the end every listener sees what the server has, and what each was
/// told on the way adds up.
@Suite struct ConvergenceTests {
    @Test(arguments: ConvergenceRun.Cache.allCases, 0..<20 as Range<UInt64>)
    func `In the end every listener sees what the server has`(
        _ cache: ConvergenceRun.Cache,
        _ seed: UInt64
    ) throws {
        var run = try ConvergenceRun(cache, seed: seed)
        for _ in 0..<120 { try run.step() }
        try run.finish()
    }
}

struct ConvergenceRun {
    enum Cache: CaseIterable, Sendable {
        case eager, leastRecentlyUsed, indexed

        fileprivate var storage: any SyncStorage {
            switch self {
            case .eager: MemoryStorage(collector: .eager)
            case .leastRecentlyUsed: MemoryStorage(collector: .leastRecentlyUsed)
            case .indexed: IndexedMemoryStorage()
            }
        }
    }

    /// What a listener knows from the changes alone.
    final class Reader {
        var documents: [SyncDocument] = []
        var last: ViewSnapshot?
        var complaint: String?

        func take(_ snapshot: ViewSnapshot) {
            self.last = snapshot
            guard let changes = snapshot.indexedChanges(includeMetadataChanges: true) else {
                self.complaint = "no metadata changes"
                return
            }
            for change in changes {
                if let index = change.oldIndex {
                    guard index < self.documents.count, self.documents[index].path == change.document.path else {
                        self.complaint = "\(change) is not at \(index)"
                        return
                    }
                    self.documents.remove(at: index)
                }
                if let index = change.newIndex {
                    guard index <= self.documents.count else {
                        self.complaint = "\(change) cannot be put at \(index)"
                        return
                    }
                    self.documents.insert(change.document, at: index)
                }
            }
            if self.documents.map(\.path) != snapshot.documents.map(\.path) {
                self.complaint = "the changes give \(self.documents), not \(Array(snapshot.documents))"
            }
        }
    }

    final class Reads {
        var (asked, answered) = (0, 0)
        var complaint: String?
    }

    private var random: SeededRandom
    private let test: TestClient
    private let server: FakeServer
    private let queries: [SyncQuery]
    private var listeners: [Int: (token: ListenerToken, reader: Reader)] = [:]
    private var cacheListeners: [Int: ListenerToken] = [:]
    private let reads = Reads()

    init(_ cache: Cache, seed: UInt64) throws {
        self.random = SeededRandom(seed: seed)
        self.test = try TestClient(
            cache.storage,
            configuration: SyncConfiguration(limboResolutionsMax: 2, cacheBytesMax: nil)
        )
        self.server = FakeServer(self.test.transport)
        let n = StructuredQuery.Order(field: try field("n"))
        let filter = StructuredQuery.Filter.field(try field("n"), .greaterThan, .integer(3))
        self.queries = [
            try collection("c"), try collection("c", filter: .field(try field("n"), .equal, .integer(5))),
            try collection("c", filter: filter), try collection("c", orderBy: [n], limit: 2),
            try collection("c", orderBy: [n], limit: 2, limitType: .last),
            SyncQuery(document: try path("c/1")),
        ]
        let byNumber = IndexDefinition(
            collectionID: "c",
            scope: .collection,
            parts: [.init(try field("n"), .ascending)]
        )
        if cache == .indexed { try self.test.engine.local.setIndexes([byNumber]) }
    }

    mutating func step() throws {
        switch self.random.below(106) {
        case 0..<20: self.test.write(try self.write())
        case 20..<35: _ = self.server.commit([try self.write()])
        case 35..<45: self.toggleListener(self.random.below(self.queries.count))
        case 45..<60: try self.server.answerRequest(isForgetful: Bool.random(using: &self.random))
        case 60..<75: self.server.raiseSnapshot(sharesToken: self.random.below(3) > 0)
        case 75..<85: self.answerWrite(mayFail: true)
        case 85..<88: self.test.transport.breakWatch(SyncError(.unavailable))
        case 88..<90: self.test.transport.breakWrites(SyncError(.unavailable))
        case 90..<94: self.test.toggleNetwork()
        case 94..<97:
            let all: [StorageOperation] = [.applyRemoteEvent, .acknowledgeBatch, .rejectBatch, .nextBatch]
            self.test.storage.failing = Bool.random(using: &self.random) ? Set(all) : []
        case 97: self.toggleCacheListener(self.random.below(self.queries.count))
        case 98: self.readFromServer(self.random.below(self.queries.count))
        case 99: try self.collect()
        case 100..<102: _ = try self.server.answerRead()
        default: self.test.scheduler.fire(through: nil)
        }
        if Bool.random(using: &self.random) {
            self.test.settle()
            try self.checkViews()
        }
        try self.checkReaders()
    }

    mutating func finish() throws {
        self.test.storage.failing = []
        if !self.test.isNetworkEnabled { self.test.toggleNetwork() }
        for index in self.queries.indices where self.listeners[index] == nil { self.toggleListener(index) }
        for _ in 0..<100 {
            self.test.settle()
            self.fireBackoff()
            while try self.server.answerRead() { self.test.settle() }
            while self.server.hasRequests {
                try self.server.answerRequest(isForgetful: false)
                self.test.settle()
            }
            self.answerWrite(mayFail: false)
            self.test.settle()
            self.server.raiseSnapshot(sharesToken: true)
            self.test.settle()
        }
        try self.checkReaders()
        for (index, listener) in self.listeners.sorted(by: { $0.key < $1.key }) {
            let query = self.queries[index]
            let wanted = self.server.results(of: query).map { "\($0.path) \($0.fields.decoded)" }
            let last = try #require(listener.reader.last, "query \(index) was never answered")
            #expect(last.documents.map { "\($0.path) \($0.fields.decoded)" } == wanted, "query \(index)")
            #expect(!last.isFromCache, "query \(index)")
            #expect(!last.hasPendingWrites, "query \(index)")
        }
        #expect(self.reads.answered == self.reads.asked)
        if let complaint = self.reads.complaint { throw SpecFailure(complaint) }
        #expect(self.test.engine.limbo.active.isEmpty)
        #expect(self.test.engine.remote.pipeline.isEmpty)
    }

    private func checkReaders() throws {
        for (index, listener) in self.listeners {
            if let complaint = listener.reader.complaint { throw SpecFailure("query \(index): \(complaint)") }
        }
    }

    /// Every view shows what the cache has, however the cache is asked.
    private func checkViews() throws {
        guard self.test.storage.failing.isEmpty else { return }
        for queryView in self.test.engine.views.all {
            let query = queryView.query
            let whole = try self.cached(query, usingPreviousResults: false)
            let resumed = try self.cached(query, usingPreviousResults: true)
            guard whole == resumed else { throw SpecFailure("\(query.target): \(resumed) instead of \(whole)") }
            let shown = Array(queryView.view.documents)
            // An acknowledged document may be shown as it was before, or have left the cache again.
            guard !(whole + shown).contains(where: \.hasCommittedMutations) else { continue }
            guard shown.map(\.kind) == whole.map(\.kind) else {
                throw SpecFailure("\(query.target) shows \(shown), the cache has \(whole)")
            }
        }
    }

    private func cached(_ query: SyncQuery, usingPreviousResults: Bool) throws -> [SyncDocument] {
        let result = try self.test.engine.local.execute(query, usingPreviousResults: usingPreviousResults)
        let view = View(query, remoteKeys: result.remoteKeys)
        return Array(view.compute(result.documents).documents)
    }

    private func fireBackoff() {
        for timer in [SyncTimer.storageRetry, .watchStreamBackoff, .writeStreamBackoff, .indexBackfill] {
            self.test.scheduler.fire(timer)
            self.test.settle()
        }
    }

    private mutating func write() throws -> Write {
        let key = "c/\(self.random.below(6))"
        let number = Value.integer(Int64.random(in: 0..<8, using: &self.random))
        switch self.random.below(6) {
        case 0, 1: return try set(key, ["n": number])
        case 2: return try patch(key, ["n": number])
        case 3: return try patch(key, ["m": number], mustExist: false)
        case 4:
            let increment = FieldTransform(path: try field("n"), operation: .increment(.integer(1)))
            let time = FieldTransform(path: try field("t"), operation: .requestTime)
            return try patch(key, [:], [increment, time])
        default: return try SpecModel.write(key, .delete)
        }
    }

    private mutating func answerWrite(mayFail: Bool) {
        guard let writes = self.test.transport.writes?.pending.first else { return }
        switch mayFail ? self.random.below(6) : 5 {
        case 0: self.test.transport.breakWrites(SyncError(.permissionDenied))
        case 1: self.test.transport.breakWrites(SyncError(.aborted))
        default:
            if let answer = self.server.commit(writes) {
                self.test.transport.answer(answer)
            } else {
                self.test.transport.breakWrites(SyncError(.failedPrecondition))
            }
        }
    }

    private mutating func toggleListener(_ index: Int) {
        if let listener = self.listeners.removeValue(forKey: index) {
            self.test.client.unlisten(listener.token)
            return
        }
        let reader = Reader()
        let options = ListenOptions(includeMetadataChanges: true)
        let token = self.test.client.listen(self.queries[index], options: options) { event in
            switch event {
            case .success(let snapshot): reader.take(snapshot)
            case .failure(let error): reader.complaint = "\(error)"
            }
        }
        self.listeners[index] = (token, reader)
    }

    private mutating func toggleCacheListener(_ index: Int) {
        if let token = self.cacheListeners.removeValue(forKey: index) { return self.test.client.unlisten(token) }
        let options = ListenOptions(includeMetadataChanges: true, source: .cache)
        self.cacheListeners[index] = self.test.client.listen(self.queries[index], options: options) { _ in }
    }

    /// But for queued writes the answer is what the server had at some time after the question.
    private func readFromServer(_ index: Int) {
        let (query, server, reads) = (self.queries[index], self.server, self.reads)
        let local = self.test.engine.local
        let version = server.version
        reads.asked += 1
        self.test.client.getDocuments(query, source: .server) { result in
            reads.answered += 1
            guard case .success(let snapshot) = result, !snapshot.hasPendingWrites, query.limit == nil else { return }
            if snapshot.isFromCache { reads.complaint = "an answer from the cache" }
            for document in server.results(of: query)
            where document.version.microseconds <= version
                && snapshot.documents[document.path] == nil
            {
                // A write of it that is queued may have taken it out of the results.
                if let document = try? local.readDocument(at: document.path), document.hasLocalMutations { continue }
                reads.complaint = "query \(index) was answered without \(document.path)"
            }
        }
    }

    private func collect() throws {
        guard self.test.storage.failing.isEmpty else { return }
        _ = try self.test.engine.local.collectGarbage(CollectionLimits(bytesMax: 0, percent: 30))
    }
}
