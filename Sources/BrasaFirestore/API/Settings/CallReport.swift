/// How a call to the server, or a stream of calls, went: for a program's metrics, and for traces, whose spans can be made of
/// it once it has ended.
public struct CallReport: Sendable {
    /// The RPC: `Commit`, `RunQuery`, `Listen`…
    public let method: String
    /// From its beginning to its end: waiting for a token, a connection and repetitions is part of it.
    public let duration: Duration
    /// How often it was begun; of streams each is one call, and the next one is another.
    public let attempts: Int
    /// How it ended in the end. A stream that the client has no use for any more is `cancelled`.
    public let code: FirestoreErrorCode.Code
    /// What the server, or the client, said of it. Empty for what went well.
    public let message: String
}

extension FirestoreSettings {
    public typealias CallObserver = @Sendable (CallReport) -> Void

    /// Is told of each call and stream that was begun when it has ended, on the thread that serves the connection: it should not wait for
    /// anything. What the cache answers is no call.
    public var callObserver: CallObserver? {
        get { self.values.observer?.observer }
        set { self.values.observer = newValue.map { ObserverSource($0) } }
    }

    /// An observer that can be told from others.
    final class ObserverSource: Sendable {
        let observer: CallObserver

        init(_ observer: @escaping CallObserver) {
            self.observer = observer
        }
    }
}
