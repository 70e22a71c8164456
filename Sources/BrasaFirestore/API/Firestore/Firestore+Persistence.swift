internal import BrasaApp
internal import BrasaDocuments
internal import BrasaStatus
internal import BrasaSync
internal import Dispatch
internal import Synchronization

extension Firestore {
    /// Deletes the cache on disk with the writes that are queued in it. Fails while the cache is in use: by this client from
    /// its first use until it is terminated, or by another one.
    public func clearPersistence(completion: (((any Error)?) -> Void)?) {
        let completion = Handed(completion)
        let queue = self.settings.dispatchQueue
        self.removeCache { error in
            queue.async { completion.value?(error?.nsError) }
        }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completion: nil")
    public func clearPersistence() {
        self.clearPersistence(completion: nil)
    }

    nonisolated(nonsending) public func clearPersistence() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            self.removeCache { continuation.resume($0) }
        }
    }

    private func removeCache(_ completion: @escaping @Sendable (SyncError?) -> Void) {
        DispatchQueue.global().async {
            do throws(SyncError) {
                try self.removeCache()
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }

    /// Waits for the disk; nobody begins to use the client meanwhile.
    private func removeCache() throws(SyncError) {
        try self.state.withLock { state throws(SyncError) in
            guard !state.isStarted || state.isTerminated else {
                let text = "Persistence can only be cleared before Firestore is used or after it was terminated."
                throw SyncError(.failedPrecondition, text)
            }
            let database: DatabaseName
            do throws(UsageError) {
                database = try self.name(in: state)
            } catch {
                throw SyncError(.failedPrecondition, error.message)
            }
            try state.settings.cache.kind.remove(app: self.app.name, database: database)
        }
    }
}
