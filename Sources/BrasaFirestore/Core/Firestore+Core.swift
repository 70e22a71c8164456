internal import BrasaApp
internal import BrasaDocuments
internal import BrasaStatus
internal import BrasaSync
internal import Foundation
internal import Synchronization

extension Firestore {
    /// Whoever calls all the time does not read the same bad certificates all the time.
    private static let refusalTime = Duration.seconds(1)

    /// The engine, made at the first read, write or listen. After the end, and where there is none to be had for the state
    /// of the world (a host that is no address, certificates that cannot be read), one that answers every call with the
    /// reason; a call a second later tries again.
    func core() throws(UsageError) -> ClientCore {
        if let core = self.state.withLock({ $0.core }) { return core }
        let database = try self.start()
        return self.state.withLock { state in
            if let core = state.core { return core }
            let now = state.now()
            if let refusal = state.refusal, refusal.until.map({ now < $0 }) ?? true { return refusal.core }
            let error: SyncError
            if state.isTerminated {
                error = SyncClient.terminated
            } else {
                do throws(UsageError) {
                    let core = try self.makeCore(state.options(app: self.app.name, database))
                    state.core = core
                    state.refusal = nil
                    return core
                } catch let refused {
                    error = refused.syncError
                }
            }
            let queue = state.settings.dispatchQueue ?? .main
            let core = ClientCore(refusing: error, queue: queue, database: database)
            state.refusal = Refusal(core: core, until: state.isTerminated ? nil : now + Self.refusalTime)
            return core
        }
    }

    /// Queues writes that are applied together. Without a handler a failure is only logged.
    func commit(_ writes: Result<[Write], UsageError>, completion: (((any Error)?) -> Void)?) {
        let core = trapping { () throws(UsageError) in try self.core() }
        switch writes {
        case .failure(let error): core.tell(error.syncError, completion)
        case .success(let writes) where writes.isEmpty: core.tell(nil, completion)
        case .success(let writes):
            core.run { client in
                client.write(writes) { error in
                    // Whoever dropped the `Firestore` meanwhile expects the write to be sent all the same.
                    withExtendedLifetime(core) { core.tell(error, completion) }
                }
            }
        }
    }

    /// Queues writes that are applied together, and waits for the server. They stay queued when the task stops waiting.
    nonisolated(nonsending) func commit(_ writes: [Write]) async throws {
        let core = try throwing { () throws(UsageError) in try self.core() }
        if !writes.isEmpty { try await core.write(writes) }
    }
}

extension Firestore.State {
    fileprivate func options(app: String, _ database: DatabaseName) -> Firestore.CoreOptions {
        Firestore.CoreOptions(app: app, database: database, place: self.place, settings: self.settings)
    }
}

extension ClientCore {
    /// Tells what became of writes.
    fileprivate func tell(_ error: SyncError?, _ completion: (((any Error)?) -> Void)?) {
        if let completion {
            self.tell { completion(error?.nsError) }
        } else if let error {
            Firestore.log.notice("a write failed: \(error.message)")
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
        FirestoreErrorCode.Code(rawValue: self.code.rawValue) ?? .unknown
    }

    var nsError: NSError { NSError(self.firestoreCode, self.message, cause: self.cause?.error) }
}
