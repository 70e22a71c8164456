import BrasaDocuments
import BrasaQueries
import BrasaStatus
import BrasaSync
import Synchronization

@testable import BrasaFirestore

/// A server of one process that applies commits by the rules of documents, and loses or refuses what it is told to.
final class FakeDatastore: DatastoreCalls {
    enum Mishap: Sendable {
        case refuse(StatusCode)
        /// The commit is applied and the answer lost.
        case loseAnswer
        /// The commit is lost.
        case loseRequest
        /// The answer to each write of a BatchWrite, which may be applied all the same.
        case answerWrites(StatusCode, areApplied: Bool)
    }

    /// What the server knows of transactions when it is asked to roll them back.
    enum Memory: Sendable {
        case good
        /// It has begun anew.
        case none
        /// Their lifetime is over.
        case expired
        /// So many times it cannot tell whether a commit is there to stay; then it begins anew.
        case logFailed(questions: Int)
    }

    private struct State {
        var documents: [ResourcePath: Document] = [:]
        var time: Int64 = 0
        var lastID: UInt64 = 0
        var open: Set<[UInt8]> = []
        var committed: Set<[UInt8]> = []
        var readTimes: [BrasaDocuments.Timestamp?] = []
        var commits = 0
        var mishaps: [Mishap?] = []
        var memory = Memory.good
        var aggregatesMax = Int.max
        var questionTimes: [Duration] = []
        var holdCount = 0
        var beginnings: Pause?
        var sending: Pause?
    }

    private let state = Mutex(State())
    /// For the commit of this number, from 0, when `mishaps` has none.
    private let mishap: @Sendable (Int) -> Mishap?

    init(mishap: @escaping @Sendable (Int) -> Mishap? = { _ in nil }) {
        self.mishap = mishap
    }

    var reads: Int { self.readTimes.count }
    /// What each read has asked for.
    var readTimes: [BrasaDocuments.Timestamp?] { self.state.withLock { $0.readTimes } }
    var beginnings: UInt64 { self.state.withLock { $0.lastID } }
    var commits: Int { self.state.withLock { $0.commits } }
    /// What each rollback was given.
    var questionTimes: [Duration] { self.state.withLock { $0.questionTimes } }
    var openTransactions: Int { self.state.withLock { $0.open.count } }

    /// Leaves out all further ones.
    func limitAggregates(to count: Int) { self.state.withLock { $0.aggregatesMax = count } }

    /// Transactions begin when the pause is over.
    func holdBeginnings(_ pause: Pause) { self.state.withLock { $0.beginnings = pause } }

    /// Commits are sent when the pause is over.
    func holdCommits(_ pause: Pause) { self.state.withLock { $0.sending = pause } }

    /// How many calls have come to a pause.
    var holdCount: Int { self.state.withLock { $0.holdCount } }

    private func hold(_ pause: Pause?) async {
        guard let pause else { return }
        self.state.withLock { $0.holdCount += 1 }
        await pause.wait()
    }

    func remember(_ memory: Memory) { self.state.withLock { $0.memory = memory } }

    func plan(_ mishaps: Mishap?...) { self.state.withLock { $0.mishaps = mishaps } }

    func fields(_ path: String) throws -> EncodedFields? {
        let path = try ResourcePath(parsing: Array(path.utf8))
        return self.state.withLock { $0.documents[path]?.fields }
    }

    /// By somebody else.
    func write(_ write: Write) throws {
        try self.state.withLock { try Self.apply([write], &$0) }
    }

    /// It keeps no versions: whatever the time, the newest.
    func documents(
        _ paths: [ResourcePath],
        mask: [BrasaDocuments.FieldPath]?,
        at time: BrasaDocuments.Timestamp?
    ) async throws(CallFailure) -> [StoredDocument] {
        // As if it took its time.
        await Task.yield()
        return self.state.withLock { state in
            state.readTimes.append(time)
            let readTime = time ?? BrasaDocuments.Timestamp(microseconds: state.time)
            return paths.map { path in
                state.documents[path].map { StoredDocument($0, readTime: readTime) }
                    ?? StoredDocument(missingAt: readTime)
            }
        }
    }

    func collectionIDs(
        below parent: ResourcePath,
        at time: BrasaDocuments.Timestamp?
    ) async throws(CallFailure) -> [UTF8Text] {
        self.state.withLock { state in
            let collections = state.documents.keys.compactMap(\.parent).filter { $0.parent ?? .root == parent }
            return Set(collections.compactMap { UTF8Text(validating: $0.lastSegment) }).sorted()
        }
    }

    func aggregate(
        _ query: StructuredAggregationQuery,
        parent: ResourcePath
    ) async throws(CallFailure) -> [(alias: UTF8Text, value: Value)] {
        let aggregates = query.aggregations.enumerated().map { ($0.element.alias, Value.integer(Int64($0.offset))) }
        return Array(aggregates.prefix(self.state.withLock { $0.aggregatesMax }))
    }

    func paths(_ query: StructuredQuery, parent: ResourcePath) async throws(CallFailure) -> [ResourcePath] {
        self.state.withLock { state in
            guard let name = Self.root(parent), let query = try? BrasaQueries.Query(query, parent: name) else {
                return []
            }
            let found = state.documents.filter { query.matches(path: $0.key, fields: $0.value.fields) }
            return Array(found.keys.sorted().prefix(query.limit ?? .max))
        }
    }

    /// Those of `paths`: it knows neither other orders nor earlier times.
    func results(
        _ query: StructuredQuery,
        parent: ResourcePath,
        at time: BrasaDocuments.Timestamp?
    ) async throws(CallFailure) -> ResultPage {
        let paths = try await self.paths(query, parent: parent)
        let documents = self.state.withLock { state -> [(path: ResourcePath, document: Document)] in
            state.readTimes.append(time)
            return paths.compactMap { path in state.documents[path].map { (path, $0) } }
        }
        return ResultPage(documents: documents, readTime: time ?? BrasaDocuments.Timestamp(microseconds: 1))
    }

    private static func root(_ path: ResourcePath) -> ParentName? {
        guard let database = try? DatabaseName(project: "demo-test", database: "(default)") else { return nil }
        return ParentName(database: database, path: path)
    }

    /// Mishaps are those of commits.
    func batchWrite(
        _ writes: [Write]
    ) async throws(CallFailure) -> [Result<BrasaDocuments.Timestamp?, SyncError>] {
        try self.state.withLock { state throws(CallFailure) in
            let mishap = state.mishaps.isEmpty ? self.mishap(state.commits) : state.mishaps.removeFirst()
            state.commits += 1
            if case .refuse(let code) = mishap { throw CallFailure(SyncError(code)) }
            if case .loseRequest = mishap { throw CallFailure(SyncError(.unavailable), mayHaveBeenApplied: true) }
            if case .answerWrites(let code, false) = mishap { return writes.map { _ in .failure(SyncError(code)) } }
            let results = writes.map { write -> Result<BrasaDocuments.Timestamp?, SyncError> in
                do throws(DocumentError) {
                    try Self.apply([write], &state)
                    return .success(state.documents[write.name.path]?.updateTime)
                } catch {
                    return .failure(SyncError(error.code == .notFound ? .notFound : .alreadyExists, error.message))
                }
            }
            if case .loseAnswer = mishap { throw CallFailure(SyncError(.unavailable), mayHaveBeenApplied: true) }
            if case .answerWrites(let code, true) = mishap { return results.map { _ in .failure(SyncError(code)) } }
            return results
        }
    }

    func beginTransaction() async throws(CallFailure) -> [UInt8] {
        await self.hold(self.state.withLock { $0.beginnings })
        return self.state.withLock { state in
            // Never one twice, however many there are: a run's fate is asked for by its id.
            state.lastID += 1
            let id = withUnsafeBytes(of: state.lastID) { Array($0) }
            state.open.insert(id)
            return id
        }
    }

    func commit(_ writes: [Write], transaction: [UInt8]) async throws(CallFailure) {
        await self.hold(self.state.withLock { $0.sending })
        // As those of cancelled tasks end that were not sent.
        if Task.isCancelled { throw CallFailure(.taskCancelled) }
        try self.state.withLock { state throws(CallFailure) in
            let mishap = state.mishaps.isEmpty ? self.mishap(state.commits) : state.mishaps.removeFirst()
            state.commits += 1
            if case .refuse(let code) = mishap { throw CallFailure(SyncError(code)) }
            if case .loseRequest = mishap { throw CallFailure(SyncError(.unavailable), mayHaveBeenApplied: true) }
            guard state.open.remove(transaction) != nil else { throw CallFailure(SyncError(.aborted)) }
            do throws(DocumentError) {
                try Self.apply(writes, &state)
            } catch {
                throw CallFailure(SyncError(error.code == .notFound ? .notFound : .failedPrecondition, error.message))
            }
            state.committed.insert(transaction)
            if case .loseAnswer = mishap { throw CallFailure(SyncError(.unavailable), mayHaveBeenApplied: true) }
        }
    }

    func rollback(transaction: [UInt8], within time: Duration) async throws(CallFailure) {
        if Task.isCancelled { throw CallFailure(SyncError(.cancelled)) }
        try self.state.withLock { state throws(CallFailure) in
            state.questionTimes.append(time)
            switch state.memory {
            case .good: break
            case .none, .logFailed(0): throw CallFailure(SyncError(.invalidArgument))
            case .expired: throw CallFailure(SyncError(.aborted))
            case .logFailed(let questions):
                state.memory = .logFailed(questions: questions - 1)
                if state.committed.contains(transaction) { throw CallFailure(SyncError(.unavailable)) }
            }
            guard !state.committed.contains(transaction) else { throw CallFailure(SyncError(.aborted)) }
            state.open.remove(transaction)
        }
    }

    private static func apply(_ writes: [Write], _ state: inout State) throws(DocumentError) {
        state.time += 1
        let now = BrasaDocuments.Timestamp(microseconds: state.time)
        var changed = state.documents
        for write in writes {
            var edit = DocumentEdit(name: write.name, base: changed[write.name.path])
            _ = try edit.apply(write, requestTime: now)
            switch try edit.finish() {
            case .unchanged: break
            case .deleted: changed[write.name.path] = nil
            case .changed(let fields, let createTime):
                changed[write.name.path] = Document(fields: fields, createTime: createTime ?? now, updateTime: now)
            }
        }
        state.documents = changed
    }
}
