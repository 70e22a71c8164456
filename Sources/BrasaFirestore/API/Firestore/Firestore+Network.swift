internal import BrasaApp
internal import BrasaSync
internal import Dispatch
internal import Synchronization

extension Firestore {
    /// Connects again and sends the queued writes.
    public func enableNetwork(completion: (((any Error)?) -> Void)?) {
        self.setNetwork(isEnabled: true, completion)
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completion: nil")
    public func enableNetwork() {
        self.enableNetwork(completion: nil)
    }

    nonisolated(nonsending) public func enableNetwork() async throws {
        try await self.setNetwork(isEnabled: true)
    }

    /// Answers reads and listeners from the cache and queues writes until `enableNetwork`. Bulk writers and
    /// `recursiveDelete` wait until then as well; what has no meaning without the server fails with `unavailable`.
    public func disableNetwork(completion: (((any Error)?) -> Void)?) {
        self.setNetwork(isEnabled: false, completion)
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completion: nil")
    public func disableNetwork() {
        self.disableNetwork(completion: nil)
    }

    nonisolated(nonsending) public func disableNetwork() async throws {
        try await self.setNetwork(isEnabled: false)
    }

    /// Waits until the server has answered every write that was made before.
    public func waitForPendingWrites(completion: @escaping ((any Error)?) -> Void) {
        self.tell(completion) { _, client, done in client.waitForPendingWrites(completion: done) }
    }

    nonisolated(nonsending) public func waitForPendingWrites() async throws {
        try await self.run { _, client, done in
            client.waitForPendingWrites(ended: { done(.terminatedFirst) }, completion: done)
        }
    }

    /// Ends the client. Afterwards references can still be made, and every read, write or listen fails at once with
    /// `failedPrecondition`; what waits then, also for its next attempt, ends. The next `firestore()` is another object.
    public func terminate(completion: (((any Error)?) -> Void)?) {
        guard let core = self.end() else {
            let queue = self.settings.dispatchQueue
            if let completion {
                let completion = Handed(completion)
                queue.async { completion.value(nil) }
            }
            return
        }
        let completion = Handed(completion)
        Task {
            await self.end(core)
            if let completion = completion.value { core.tell { completion(nil) } }
        }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completion: nil")
    public func terminate() {
        self.terminate(completion: nil)
    }

    nonisolated(nonsending) public func terminate() async throws {
        if let core = self.end() { await self.end(core) }
    }

    private func end(_ core: ClientCore) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            core.run { client in client.terminate { continuation.resume() } }
        }
        await core.close()
    }

    /// The engine, when there was one, for its last call.
    private func end() -> ClientCore? {
        self.forget()
        let core: ClientCore? = self.state.withLock { state in
            guard !state.isTerminated else { return nil }
            state.isTerminated = true
            state.isStarted = true
            state.refusal = nil
            defer { state.core = nil }
            return state.core
        }
        core?.gate.end(SyncClient.terminated)
        return core
    }

    private func setNetwork(isEnabled: Bool, _ completion: (((any Error)?) -> Void)?) {
        self.tell(completion) { core, client, done in core.setNetwork(isEnabled: isEnabled, client, done) }
    }

    nonisolated(nonsending) private func setNetwork(isEnabled: Bool) async throws {
        try await self.run { core, client, done in core.setNetwork(isEnabled: isEnabled, client, done) }
    }

    private typealias Call = (ClientCore, SyncClient, @escaping (SyncError?) -> Void) -> Void

    private func tell(_ completion: (((any Error)?) -> Void)?, _ call: @escaping Call) {
        let core = trapping { () throws(UsageError) in try self.core() }
        core.run { client in
            call(core, client) { error in if let completion { core.tell { completion(error?.nsError) } } }
        }
    }

    nonisolated(nonsending) private func run(_ call: @escaping Call) async throws {
        let core = try throwing { () throws(UsageError) in try self.core() }
        try await core.wait { client, done in call(core, client, done) }
    }
}

extension ClientCore {
    /// On the executor.
    fileprivate func setNetwork(isEnabled: Bool, _ client: SyncClient, _ done: (SyncError?) -> Void) {
        if isEnabled {
            self.gate.open()
            client.enableNetwork {}
        } else {
            self.gate.close()
            client.disableNetwork {}
        }
        Firestore.log.debug("the network was \(isEnabled ? "enabled" : "disabled")")
        done(client.end)
    }
}
