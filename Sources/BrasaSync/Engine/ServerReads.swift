internal import BrasaDocuments
internal import BrasaStatus

/// A read that only the server can answer. It has a target of its own, so that the answer is newer than the question whoever
/// else listens to the same.
struct ServerRead {
    let query: SyncQuery
    let completion: (Result<ViewSnapshot, SyncError>) -> Void
    /// What the server has named so far.
    private(set) var documents: DocumentMap = [:]
    /// The server may still speak of the target until it is let go of.
    var isAnswered = false
    private var connection: UInt64?

    init(_ query: SyncQuery, completion: @escaping (Result<ViewSnapshot, SyncError>) -> Void) {
        self.query = query
        self.completion = completion
    }

    /// Gives whether that was all there is.
    mutating func take(_ change: TargetChange, of event: RemoteEvent, for id: TargetID) -> Bool {
        // There is no token: on each connection the server begins anew.
        if event.connection != self.connection { self.documents = [:] }
        self.connection = event.connection
        for path in change.removed { self.documents[path] = nil }
        for path in change.added { self.documents[path] = event.documentUpdates[path] }
        for path in change.modified { self.documents[path] = event.documentUpdates[path] }
        return change.isCurrent && event.mismatches[id] == nil
    }
}

extension SyncEngine {
    /// The completion is called later, once. Gives what the read is known by.
    func readFromServer(
        _ query: SyncQuery,
        completion: @escaping (Result<ViewSnapshot, SyncError>) -> Void
    ) -> TargetID {
        self.lastServerRead -= 1
        let id = self.lastServerRead
        self.serverReads[id] = ServerRead(query, completion: completion)
        if self.remote.canUseNetwork {
            self.remote.listen(TargetData(target: query.target, id: id, purpose: .listen, sequence: -1))
        } else {
            self.answer(id, .failure(Self.unreachable))
        }
        return id
    }

    /// It is not answered.
    func cancelServerRead(_ id: TargetID) {
        if self.serverReads[id]?.isAnswered == false { self.endServerRead(id) }
    }

    private func endServerRead(_ id: TargetID) {
        self.serverReads[id] = nil
        self.remote.unlisten(id)
        self.local.letGo(of: id)
    }

    func failServerReads(_ error: SyncError) {
        for id in self.serverReads.keys.sorted(by: >) { self.answer(id, .failure(error)) }
    }

    /// What is read stays in the cache at least until the views have seen it.
    func holdServerReads(_ event: RemoteEvent) {
        guard !self.serverReads.isEmpty else { return }
        for (id, change) in event.targetChanges where self.serverReads[id] != nil {
            self.local.hold(change.added, for: id)
            self.local.hold(change.modified, for: id)
        }
    }

    func noteServerReads(_ event: RemoteEvent) {
        guard !self.serverReads.isEmpty else { return }
        for (id, change) in event.targetChanges {
            guard self.serverReads[id]?.take(change, of: event, for: id) == true, let read = self.serverReads[id],
                !read.isAnswered
            else { continue }
            self.answer(id, self.result(of: read))
        }
    }

    func answer(_ id: TargetID, _ result: Result<ViewSnapshot, SyncError>) {
        guard let read = self.serverReads[id], !read.isAnswered else { return }
        // Until the target is let go of, it keeps its documents: a target without them would say that they do not exist.
        self.serverReads[id]?.isAnswered = true
        self.scheduler.enqueue { [weak self] in
            self?.endServerRead(id)
            read.completion(result)
        }
    }

    private func result(of read: ServerRead) -> Result<ViewSnapshot, SyncError> {
        do throws(StorageError) {
            let documents = try self.local.merge(queuedWritesInto: read.documents, of: read.query)
            return .success(ViewSnapshot(of: read.query, documents.values, isFromCache: false))
        } catch {
            return .failure(SyncError(.unavailable, "The cache could not be read."))
        }
    }

    static let unreachable = SyncError(.unavailable, "The server could not be reached.")
}
