internal import BrasaDocuments
internal import BrasaSync
public import Foundation

extension Firestore {
    /// Takes the documents and named queries of a bundle over into the cache, where they are newer than what it has. The
    /// handler is called after all observers of the task.
    @discardableResult
    public func loadBundle(
        _ bundleData: Data,
        completion: ((LoadBundleTaskProgress?, (any Error)?) -> Void)?
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
        completion: ((LoadBundleTaskProgress?, (any Error)?) -> Void)?
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

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completion: nil")
    @discardableResult
    public func loadBundle(_ bundleData: Data) -> LoadBundleTask {
        self.loadBundle(bundleData, completion: nil)
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completion: nil")
    @discardableResult
    public func loadBundle(_ bundleStream: InputStream) -> LoadBundleTask {
        self.loadBundle(bundleStream, completion: nil)
    }

    @discardableResult
    nonisolated(nonsending) public func loadBundle(_ bundleData: Data) async throws -> LoadBundleTaskProgress {
        let core = try throwing { () throws(UsageError) in try self.core() }
        return try await core.load([UInt8](bundleData))
    }

    @discardableResult
    nonisolated(nonsending) public func loadBundle(
        _ bundleStream: InputStream
    ) async throws -> LoadBundleTaskProgress {
        let core = try throwing { () throws(UsageError) in try self.core() }
        return try await core.load(try await bundleStream.readToEnd())
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

    /// Without the user's queue, which nobody has to serve for a task.
    nonisolated(nonsending) fileprivate func load(_ bytes: [UInt8]) async throws -> LoadBundleTaskProgress {
        let progress: BundleProgress = try await self.wait { client, done in
            client.loadBundle(bytes, completion: done)
            return nil
        }
        return LoadBundleTaskProgress(progress, .success)
    }
}
