internal import BrasaDocuments

extension SyncEngine {
    func write(_ writes: [Write], completion: @escaping (SyncError?) -> Void) {
        guard !writes.isEmpty else { return completion(nil) }
        do throws(StorageError) {
            let (id, changes) = try self.local.writeLocally(writes, at: self.now)
            self.writeCompletions[self.local.user, default: [:]][id] = completion
            self.emit(changes)
            self.remote.fillPipeline()
        } catch {
            completion(SyncError(.unavailable, "The write could not be stored."))
        }
    }

    /// Completes when all writes of this moment have been answered.
    func waitForPendingWrites(completion: @escaping (SyncError?) -> Void) {
        do throws(StorageError) {
            guard let id = try self.local.highestBatchID() else { return completion(nil) }
            self.pendingWriteWaiters[id, default: []].append(completion)
        } catch {
            completion(SyncError(.unavailable, "The queued writes could not be read."))
        }
    }

    /// The batch has been answered.
    func complete(_ id: BatchID, _ error: SyncError?) {
        self.writeCompletions[self.local.user]?.removeValue(forKey: id)?(error)
        for waiter in self.pendingWriteWaiters.removeValue(forKey: id) ?? [] { waiter(nil) }
    }
}
