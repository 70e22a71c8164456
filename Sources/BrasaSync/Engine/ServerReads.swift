internal import BrasaDocuments
internal import BrasaStatus

/// A read that only the server can answer: a question of its own, past the streams, so that the answer is newer than the
/// question whoever listens to the same.
struct ServerRead {
    let target: SyncTarget
    /// By the scheduler's `uptime`.
    let deadline: Duration
    let completion: (Result<ServerAnswer, SyncError>) -> Void
    /// The newest of the batches that were queued before it.
    var newestBatch: BatchID
    var connection: any ReadConnection
    /// When the newest of those was committed that the server has acknowledged since the question, of what it is about.
    var acknowledgedTime: Timestamp?
}

extension SyncEngine {
    /// The completion is called later, once, unless the read is cancelled.
    func readFromServer(
        _ token: ListenerToken,
        _ target: SyncTarget,
        within time: Duration,
        completion: @escaping (Result<ServerAnswer, SyncError>) -> Void
    ) {
        guard self.remote.canUseNetwork else {
            return self.scheduler.enqueue { completion(.failure(Self.unreachable)) }
        }
        self.serverReads[token] = ServerRead(
            target: target,
            deadline: self.scheduler.uptime + time,
            completion: completion,
            newestBatch: self.newestBatch,
            // Its answer comes later.
            connection: self.askServer(token, target, within: time)
        )
    }

    private func askServer(
        _ token: ListenerToken,
        _ target: SyncTarget,
        within time: Duration
    ) -> any ReadConnection {
        self.transport.read(target, within: time) { [weak self] answer in self?.serverAnswered(token, answer) }
    }

    private func serverAnswered(_ token: ListenerToken, _ answer: Result<ServerAnswer, SyncError>) {
        guard let read = self.serverReads[token] else { return }
        if let time = read.acknowledgedTime, case .success(let answer) = answer, answer.readTime ?? .zero < time {
            return self.restart(read, token)
        }
        self.serverReads[token] = nil
        read.completion(answer)
    }

    /// Reads that are not answered yet: what was queued before one is not in its answer when that is from before the commit,
    /// and not laid over it any more. Each batch is acknowledged once, so that a read is not asked again without end.
    func noteAcknowledged(_ batch: MutationBatch, at time: Timestamp) {
        for (token, read) in self.serverReads where batch.id <= read.newestBatch {
            guard read.target.mayConcern(anyOf: batch.paths) else { continue }
            self.serverReads[token]?.acknowledgedTime = max(time, read.acknowledgedTime ?? time)
        }
    }

    /// The newest of the user of now that the server has not acknowledged. None where the storage cannot tell: a read may
    /// miss an own write then, but is answered.
    var newestWaitingBatch: BatchID { (try? self.local.highestBatchID()) ?? 0 }

    /// What was asked for one user is no answer for another: it is asked again, as listeners are, in what is left of its time.
    func restartServerReads() {
        for token in self.serverReadTokens {
            guard let read = self.serverReads[token] else { continue }
            read.connection.close()
            self.serverReads[token]?.newestBatch = self.newestBatch
            self.restart(read, token)
        }
    }

    private func restart(_ read: ServerRead, _ token: ListenerToken) {
        self.serverReads[token]?.acknowledgedTime = nil
        let time = max(.zero, read.deadline - self.scheduler.uptime)
        let connection = self.askServer(token, read.target, within: time)
        self.serverReads[token]?.connection = connection
    }

    private var serverReadTokens: [ListenerToken] { self.serverReads.keys.sorted { $0.number < $1.number } }

    /// False when there is no such read any more. Its completion is called later.
    func cancelServerRead(_ token: ListenerToken, _ error: SyncError) -> Bool {
        guard let read = self.serverReads.removeValue(forKey: token) else { return false }
        read.connection.close()
        self.scheduler.enqueue { read.completion(.failure(error)) }
        return true
    }

    func failServerReads(_ error: SyncError) {
        for token in self.serverReadTokens { _ = self.cancelServerRead(token, error) }
    }

    static let unreachable = SyncError(.unavailable, "The server could not be reached.")
}

// What the server says goes into the cache, too, unless a view that listens to the server may be concerned: that one hears of
// it by its stream, together with what changed with it, and shows no state that never was.

extension SyncEngine {
    /// The server's answer under the queued writes.
    func documentRead(_ answer: ServerAnswer, at path: ResourcePath) -> Result<DocumentRead, SyncError> {
        guard let found = answer.documents.first, found.path == path else {
            return .failure(SyncError(.internal, "The server did not say whether '\(path)' exists."))
        }
        do throws(StorageError) {
            let isKept = !self.views.listenToServer(for: path)
            let document = try self.storing(CollectionOfOne(path).prefix(isKept ? 1 : 0)) { () throws(StorageError) in
                try self.local.take(found, isKept: isKept)
            }
            return .success(
                DocumentRead(
                    document: document.isFound ? document : nil,
                    isFromCache: false,
                    hasPendingWrites: document.isFound && document.hasLocalMutations,
                    readTime: answer.readTime
                )
            )
        } catch {
            return .failure(Self.cacheFailed(error))
        }
    }

    /// The same for a query's results.
    func queryRead(_ answer: ServerAnswer, of query: SyncQuery) -> Result<ViewSnapshot, SyncError> {
        var results: DocumentMap = [:]
        results.reserveCapacity(answer.documents.count)
        for document in answer.documents { results[document.path] = document }
        do throws(StorageError) {
            let kept = self.views.isEmpty ? results : results.filter { !self.views.listenToServer(for: $0.key) }
            let documents = try self.storing(kept.keys) { () throws(StorageError) in
                try self.local.take(results, of: query, keeping: kept)
            }
            var snapshot = ViewSnapshot(of: query, documents.values, isFromCache: false)
            snapshot.readTime = answer.readTime
            return .success(snapshot)
        } catch {
            return .failure(Self.cacheFailed(error))
        }
    }

    private static func cacheFailed(_ error: StorageError) -> SyncError {
        SyncError("The cache could not be read.", storage: error)
    }

    /// Lets `store` keep documents of what was read, and tells the views that look at nothing but the cache.
    private func storing<Value>(
        _ kept: some Sequence<ResourcePath>,
        _ store: () throws(StorageError) -> (value: Value, changed: DocumentMap)
    ) throws(StorageError) -> Value {
        guard !self.views.isEmpty else { return try store().value }
        // At least until the views have seen it.
        self.local.hold(kept, for: Self.readTarget)
        defer { self.local.letGo(of: Self.readTarget) }
        let (value, changed) = try store()
        self.emit(changed)
        return value
    }

    /// The cache knows no target with this id.
    private static let readTarget: TargetID = -1
}
