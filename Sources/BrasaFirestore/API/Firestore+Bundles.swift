internal import BrasaDocuments
internal import BrasaSync
public import Foundation

extension Firestore {
    /// Takes the documents and named queries of a bundle over into the cache, where they are newer than what it has. The
    /// handler is called after all observers of the task.
    @discardableResult
    public func loadBundle(
        _ bundleData: Data,
        completion: ((LoadBundleTaskProgress?, (any Error)?) -> Void)? = nil
    ) -> LoadBundleTask {
        let core = trapping { () throws(UsageError) in try self.core() }
        let task = LoadBundleTask(queue: core.queue, completion: completion)
        core.load([UInt8](bundleData), task)
        return task
    }

    /// Reads the bundle from a stream, which is opened and closed.
    @discardableResult
    public func loadBundle(
        _ bundleStream: InputStream,
        completion: ((LoadBundleTaskProgress?, (any Error)?) -> Void)? = nil
    ) -> LoadBundleTask {
        let core = trapping { () throws(UsageError) in try self.core() }
        let task = LoadBundleTask(queue: core.queue, completion: completion)
        bundleStream.readToEnd { result in
            switch result {
            case .success(let bytes): core.load(bytes, task)
            case .failure(let error): task.finish(.failure(error))
            }
        }
        return task
    }

    @discardableResult
    nonisolated(nonsending) public func loadBundle(_ bundleData: Data) async throws -> LoadBundleTaskProgress {
        try await self.load { self.loadBundle(bundleData, completion: $0) }
    }

    @discardableResult
    nonisolated(nonsending) public func loadBundle(
        _ bundleStream: InputStream
    ) async throws -> LoadBundleTaskProgress {
        try await self.load { self.loadBundle(bundleStream, completion: $0) }
    }

    nonisolated(nonsending) private func load(
        _ begin: (@escaping LoadBundleTask.Completion) -> LoadBundleTask
    ) async throws -> LoadBundleTaskProgress {
        _ = try throwing { () throws(UsageError) in try self.core() }
        return try await withCheckedThrowingContinuation { continuation in
            _ = begin { progress, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: progress ?? LoadBundleTaskProgress(nil, .success))
                }
            }
        }
    }

    /// The query that a bundle brought under a name; nil when none did.
    public func getQuery(named name: String, completion: @escaping (Query?) -> Void) {
        let core = trapping { () throws(UsageError) in try self.core() }
        core.run { client in
            let query = client.namedQuery(UTF8Text(name)).flatMap { self.query($0) }
            core.tell { completion(query) }
        }
    }

    @discardableResult
    nonisolated(nonsending) public func getQuery(named name: String) async -> Query? {
        let core = trapping { () throws(UsageError) in try self.core() }
        return await withCheckedContinuation { continuation in
            core.run { client in
                continuation.resume(returning: client.namedQuery(UTF8Text(name)).flatMap { self.query($0) })
            }
        }
    }

    private func query(_ query: SyncQuery) -> Query? {
        QueryDefinition(query).map { Query(firestore: self, definition: $0) }
    }
}

extension ClientCore {
    fileprivate func load(_ bytes: [UInt8], _ task: LoadBundleTask) {
        self.run { client in
            client.loadBundle(bytes, progress: { task.report($0) }, completion: { task.finish($0) })
        }
    }
}
