package import BrasaSync
internal import NIOCore

/// A sync engine on its executor, for callers on any thread.
package final class SyncHost: Sendable {
    private let executor: SyncExecutor
    private let client: NIOLoopBoundBox<SyncClient?>

    /// `makeStorage` is called on the executor. When it throws, every call is answered with its error.
    package init(
        caller: Caller,
        executor: SyncExecutor,
        configuration: SyncConfiguration = SyncConfiguration(),
        makeStorage: @escaping @Sendable () throws(SyncError) -> any SyncStorage
    ) {
        let client = NIOLoopBoundBox<SyncClient?>.makeEmptyBox(eventLoop: executor.eventLoop)
        self.client = client
        self.executor = executor
        Self.watch(caller.channel, for: client, executor)
        executor.submit {
            let storage = Result { () throws(SyncError) in try makeStorage() }
            client.value = SyncClient(
                database: caller.database,
                configuration: configuration,
                storage: storage,
                scheduler: executor,
                transport: StreamTransport(caller, executor: executor)
            )
        }
    }

    /// The streams wait ever longer until they try again: whoever else gets a connection tells them.
    private static func watch(
        _ channel: CallChannel,
        for client: NIOLoopBoundBox<SyncClient?>,
        _ executor: SyncExecutor
    ) {
        channel.eventLoop.execute {
            channel.onConnected = { [weak client, weak executor] in
                guard let client, let executor else { return }
                executor.submit { client.value?.serverReachable() }
            }
        }
    }

    /// Runs the work on the executor, after what was handed over before.
    package func run(_ work: @escaping @Sendable (SyncClient) -> Void) {
        let (client, executor) = (self.client, self.executor)
        executor.eventLoop.execute {
            // Made before anything could be handed over.
            if let client = client.value { executor.run { work(client) } }
        }
    }

    /// Terminates the engine, unless that has been done, and lets go of it where it lives.
    package func end() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let (client, executor) = (self.client, self.executor)
            executor.submit {
                guard let engine = client.value else { return continuation.resume() }
                client.value = nil
                engine.terminate {
                    // Not inside a call of its own.
                    executor.enqueue {
                        withExtendedLifetime(engine) {}
                        continuation.resume()
                    }
                }
            }
        }
    }
}
