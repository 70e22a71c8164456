internal import BrasaSync

/// The listener of one loop over an asynchronous sequence, which ends with the loop.
final class SnapshotSubscription: Sendable {
    private let buffer: SnapshotBuffer
    /// Nil when there is no engine to listen to.
    private let handle: ListenerHandle?

    /// Loops cannot throw where they begin: that the client has been terminated is the first thing that they hear.
    init(_ firestore: Firestore, _ query: Result<SyncQuery, SyncError>, _ options: SnapshotListenOptions) {
        let buffer = SnapshotBuffer()
        self.buffer = buffer
        do throws(UsageError) {
            let core = try firestore.core()
            self.handle = core.listen(query, options, post: { buffer.post($0) }, removed: { buffer.end() })
        } catch {
            self.handle = nil
            buffer.post(.failure(error.syncError))
        }
    }

    deinit {
        self.end()
    }

    private func end() {
        if let handle = self.handle { handle.remove() } else { self.buffer.end() }
    }

    /// Nil when the task is cancelled. After an error there is nothing more.
    func next() async throws -> ViewSnapshot? {
        let event = await withTaskCancellationHandler {
            await self.buffer.next()
        } onCancel: {
            self.end()
        }
        switch event {
        case nil: return nil
        case .success(let view)?: return view
        case .failure(let error)?:
            self.end()
            throw error.nsError
        }
    }
}
