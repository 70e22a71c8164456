internal import BrasaDocuments
internal import BrasaStatus

/// Who wants to hear what becomes of writes: one of the two is called, once.
struct WriteWaiter {
    let completion: (SyncError?) -> Void
    let ended: () -> Void
}

extension SyncEngine {
    func write(_ writes: [Write], _ waiter: WriteWaiter) {
        guard !writes.isEmpty else { return waiter.completion(nil) }
        do throws(DocumentError) {
            for write in writes { try write.checkForm() }
        } catch {
            return waiter.completion(SyncError(.invalidArgument, error.message))
        }
        do throws(StorageError) {
            let (id, changes) = try self.local.writeLocally(writes, at: self.now)
            self.newestBatch = id
            self.writeWaiters[self.local.user, default: [:]][id] = waiter
            self.emit(changes)
            self.remote.writes.noteStored()
            self.remote.fillPipeline()
            self.remote.writes.lifecycle.hasten()
        } catch {
            waiter.completion(SyncError("The write could not be stored.", storage: error))
        }
    }

    /// Completes when all writes of this moment have been answered.
    func waitForPendingWrites(_ waiter: WriteWaiter) {
        do throws(StorageError) {
            guard let id = try self.local.highestBatchID() else { return waiter.completion(nil) }
            self.pendingWriteWaiters[id, default: []].append(waiter)
        } catch {
            waiter.completion(SyncError("The queued writes could not be read.", storage: error))
        }
    }

    /// The batch has been answered.
    func complete(_ id: BatchID, _ error: SyncError?) {
        self.writeWaiters[self.local.user]?.removeValue(forKey: id)?.completion(error)
        for waiter in self.pendingWriteWaiters.removeValue(forKey: id) ?? [] { waiter.completion(nil) }
    }

    /// The server's answers will not be heard.
    func endWaiting() {
        let writes = self.writeWaiters.values.flatMap { $0.sorted { $0.key < $1.key } }.map(\.value)
        let pending = self.pendingWriteWaiters.sorted { $0.key < $1.key }.flatMap(\.value)
        self.writeWaiters = [:]
        self.pendingWriteWaiters = [:]
        for waiter in writes + pending { waiter.ended() }
    }
}
