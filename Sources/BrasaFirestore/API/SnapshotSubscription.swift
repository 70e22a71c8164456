internal import BrasaSync

/// The listener of one loop over an asynchronous sequence, which ends with the loop.
final class SnapshotSubscription: Sendable {
    private let buffer: SnapshotBuffer
    /// Nil when the client was at its end: the first event says so.
    private let handle: ListenerHandle?

    init(_ firestore: Firestore, _ query: Result<SyncQuery, SyncError>, _ options: SnapshotListenOptions) {
        let buffer = SnapshotBuffer()
        self.buffer = buffer
        do throws(UsageError) {
            let core = try firestore.core()
            self.handle = core.listen(query, options, post: { buffer.post($0) }, removed: { buffer.end() })
        } catch {
            self.handle = nil
            buffer.post(.failure(SyncError(.failedPrecondition, error.message)))
        }
    }

    deinit {
        self.handle?.remove()
    }

    /// Nil when the task is cancelled. After an error there is nothing more.
    func next() async throws -> ViewSnapshot? {
        let event = await withTaskCancellationHandler {
            await self.buffer.next()
        } onCancel: {
            self.handle?.remove()
        }
        switch event {
        case nil: return nil
        case .success(let view)?: return view
        case .failure(let error)?:
            self.handle?.remove()
            self.buffer.end()
            throw error.nsError
        }
    }
}
