package import BrasaDocuments
internal import BrasaStatus

/// A read that has not been answered.
final class SingleRead {
    let completion: (Result<ViewSnapshot, SyncError>) -> Void
    var timeout: SyncTimerID?
    /// Lets go of what was asked.
    var stop: () -> Void = {}

    init(completion: @escaping (Result<ViewSnapshot, SyncError>) -> Void) {
        self.completion = completion
    }
}

extension SyncClient {
    /// Gives what the read is cancelled by.
    @discardableResult
    package func getDocument(
        _ path: ResourcePath,
        source: ReadSource = .default,
        completion: @escaping (Result<DocumentRead, SyncError>) -> Void
    ) -> ListenerToken {
        if let end = self.end { return self.fail(end, completion) }
        guard source != .cache else {
            completion(self.readCached(path))
            return self.nextToken()
        }
        guard source != .server else {
            return self.readFromServer(.document(path)) { [weak engine = self.engine] answer in
                completion(answer.flatMap { engine?.documentRead($0, at: path) ?? .failure(SyncEngine.unreachable) })
            }
        }
        return self.read(SyncQuery(document: path)) { event in
            completion(event.flatMap { DocumentRead.result(of: $0, at: path) })
        }
    }

    @discardableResult
    package func getDocuments(
        _ query: SyncQuery,
        source: ReadSource = .default,
        completion: @escaping (Result<ViewSnapshot, SyncError>) -> Void
    ) -> ListenerToken {
        if let end = self.end { return self.fail(end, completion) }
        guard source != .cache else {
            completion(self.engine.readCached(query))
            return self.nextToken()
        }
        guard source != .server else {
            return self.readFromServer(query.target) { [weak engine = self.engine] answer in
                completion(answer.flatMap { engine?.queryRead($0, of: query) ?? .failure(SyncEngine.unreachable) })
            }
        }
        return self.read(query, completion: completion)
    }

    /// A read that has been answered, or will be, is left alone.
    package func cancelRead(_ token: ListenerToken) {
        let error = SyncError(.cancelled, "The read was cancelled.")
        if !self.engine.cancelServerRead(token, error) { self.finish(token, .failure(error)) }
    }

    /// With the client.
    func endReads() {
        let error = SyncError(.cancelled, "The client was terminated before the read was answered.")
        for token in self.reads.keys { self.finish(token, .failure(error)) }
        self.engine.failServerReads(error)
    }

    private func fail<Value>(
        _ error: SyncError,
        _ completion: (Result<Value, SyncError>) -> Void
    ) -> ListenerToken {
        completion(.failure(error))
        return self.nextToken()
    }

    private func readCached(_ path: ResourcePath) -> Result<DocumentRead, SyncError> {
        do throws(StorageError) {
            return DocumentRead.result(ofCached: try self.engine.local.readDocument(at: path))
        } catch {
            return .failure(SyncError("The cache could not be read.", storage: error))
        }
    }

    /// What the server answers after this moment.
    private func readFromServer(
        _ target: SyncTarget,
        completion: @escaping (Result<ServerAnswer, SyncError>) -> Void
    ) -> ListenerToken {
        let token = self.nextToken()
        self.engine.readFromServer(token, target, within: self.readTimeout, completion: completion)
        return token
    }

    /// The first that says as much as can be said.
    private func read(
        _ query: SyncQuery,
        completion: @escaping (Result<ViewSnapshot, SyncError>) -> Void
    ) -> ListenerToken {
        let token = self.nextToken()
        let read = SingleRead(completion: completion)
        self.reads[token] = read
        read.timeout = self.scheduler.schedule(.readTimeout, after: self.readTimeout) { [weak self] in
            self?.finish(token, .failure(SyncError(.deadlineExceeded, "The server has not answered in time.")))
        }
        let answer = { [weak self] (event: Result<ViewSnapshot, SyncError>) -> Void in self?.finish(token, event) }
        let options = ListenOptions(includeMetadataChanges: true, waitForSyncWhenOnline: true)
        let listener = self.listen(query, options: options, handler: answer)
        read.stop = { [weak self] in self?.unlisten(listener) }
        return token
    }

    /// What was asked is let go of before the completion is called.
    private func finish(_ token: ListenerToken, _ result: Result<ViewSnapshot, SyncError>) {
        guard let read = self.reads.removeValue(forKey: token) else { return }
        if let timeout = read.timeout { self.scheduler.cancel(timeout) }
        self.scheduler.enqueue {
            read.stop()
            read.completion(result)
        }
    }
}
