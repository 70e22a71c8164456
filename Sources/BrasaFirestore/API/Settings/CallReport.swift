/// How a call to the server, or a stream of calls, went: for a program's metrics and traces.
public struct CallReport: Sendable {
    /// The RPC: `Commit`, `RunQuery`, `Listen`…
    public let method: String
    /// From its beginning to its end: waiting for a token, a connection and repetitions is part of it.
    public let duration: Duration
    /// How often it was begun; of streams each is one call, and the next one is another. 0: it was given up before.
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

    /// Gives who is told how a call went that is about to begin, or nil where nobody wants to know.
    public typealias CallTracer = @Sendable (_ method: String) -> CallObserver?

    /// Is called before each call is sent, in the task that asks for it, so that a span which begins there has the caller's as its
    /// parent. What it gives is called once, when the call has ended, on any thread:
    ///
    /// ```swift
    /// settings.callTracer = { method in
    ///     let span = startSpan(method, ofKind: .client)
    ///     return { report in
    ///         if report.code != .OK { span.setStatus(SpanStatus(code: .error, message: report.message)) }
    ///         span.end()
    ///     }
    /// }
    /// ```
    ///
    /// Calls of a task are transactions, aggregations, reads with a read time, of collections' ids and pages, and reads with
    /// ``FirestoreSource/server``; with a handler, of the thread that passes it. `Listen` and `Write`, the streams of listeners and
    /// queued writes, serve all tasks and belong to none, as do a ``BulkWriter``'s calls: for them it is called on a thread of the
    /// client's, without what a task has of its own. So it is for a read that is asked again since the user has changed meanwhile.
    public var callTracer: CallTracer? {
        get { self.values.tracer?.tracer }
        set { self.values.tracer = newValue.map { TracerSource($0) } }
    }

    /// An observer that can be told from others.
    final class ObserverSource: Sendable {
        let observer: CallObserver

        init(_ observer: @escaping CallObserver) {
            self.observer = observer
        }
    }

    /// The same of tracers.
    final class TracerSource: Sendable {
        let tracer: CallTracer

        init(_ tracer: @escaping CallTracer) {
            self.tracer = tracer
        }
    }
}
