internal import BrasaSync

/// The listener of one loop over an asynchronous sequence, which ends with the loop.
final class SnapshotSubscription: Sendable {
    private let buffer: SnapshotBuffer
    private let handle: ListenerHandle

    init(_ core: ClientCore, _ query: Result<SyncQuery, SyncError>, _ options: SnapshotListenOptions) {
        let buffer = SnapshotBuffer()
        self.buffer = buffer
        self.handle = core.listen(query, options, post: { buffer.post($0) }, removed: { buffer.end() })
    }

    deinit {
        self.handle.remove()
    }

    /// Nil when the task is cancelled. After an error there is nothing more.
    func next() async throws -> ViewSnapshot? {
        let event = await withTaskCancellationHandler {
            await self.buffer.next()
        } onCancel: {
            self.handle.remove()
        }
        switch event {
        case nil: return nil
        case .success(let view)?: return view
        case .failure(let error)?:
            self.handle.remove()
            throw error.nsError
        }
    }
}
