internal import BrasaDocuments
internal import BrasaSync
internal import Foundation
internal import Synchronization

extension Firestore {
    /// The engine, made at the first read, write or listen.
    func core() throws(UsageError) -> ClientCore {
        let database = try self.start()
        return try self.state.withLock { state throws(UsageError) in
            guard !state.isTerminated else { throw UsageError(illegalState: "The client has been terminated.") }
            if let core = state.core { return core }
            let options = CoreOptions(
                app: self.app.name,
                database: database,
                place: state.place,
                settings: state.settings
            )
            let core = try self.makeCore(options)
            state.core = core
            return core
        }
    }

    /// Queues writes that are applied together. Without a handler a failure is only logged.
    func commit(_ writes: [Write], completion: (((any Error)?) -> Void)?) throws(UsageError) {
        let core = try self.core()
        guard !writes.isEmpty else {
            if let completion { core.tell { completion(nil) } }
            return
        }
        core.run { client in
            client.write(writes) { error in
                // Whoever dropped the `Firestore` meanwhile expects the write to be sent all the same.
                withExtendedLifetime(core) {
                    if let completion {
                        core.tell { completion(error?.nsError) }
                    } else if let error {
                        Log.notice("a write failed: \(error.message)")
                    }
                }
            }
        }
    }

    /// Queues writes that are applied together, and waits for the server. They stay queued when the task stops waiting.
    nonisolated(nonsending) func commit(_ writes: [Write]) async throws {
        let core = try throwing { () throws(UsageError) in try self.core() }
        guard !writes.isEmpty else { return }
        try await core.wait { client, done in
            client.write(writes, ended: { done(.terminatedFirst) }, completion: done)
        }
    }
}

extension SyncError {
    /// For tasks, which must not wait for ever. Handlers are not called, as documented.
    static let terminatedFirst = SyncError(.cancelled, "The client was terminated before the server answered.")
}

extension CheckedContinuation where T == Void, E == any Error {
    func resume(_ error: SyncError?) {
        if let error { self.resume(throwing: error.nsError) } else { self.resume() }
    }
}

extension SyncError {
    var firestoreCode: FirestoreErrorCode.Code {
        FirestoreErrorCode.Code(rawValue: Int(self.code.rawValue)) ?? .unknown
    }

    var nsError: NSError { NSError(self.firestoreCode, self.message) }
}
