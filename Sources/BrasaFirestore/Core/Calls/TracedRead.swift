internal import BrasaGRPC
internal import Synchronization

/// A read that somebody follows from the task that asks for it, on its way through the engine to the call that it becomes, or
/// to none.
final class TracedRead: Sendable {
    /// What the engine is asked for at the time, on the executor.
    @TaskLocal static var current: TracedRead?

    private let method: CallMethod
    private let ended: Mutex<FirestoreSettings.CallObserver?>

    init(_ method: CallMethod, _ tracer: FirestoreSettings.CallTracer) {
        self.method = method
        self.ended = Mutex(tracer(method.descriptor.method))
    }

    /// Who is to be told of the call's end. Nil for a second call.
    func take() -> FirestoreSettings.CallObserver? { self.ended.withLock { $0.take() } }

    deinit {
        self.take()?(CallReport(self.method, .cancelled, "The call was not sent."))
    }
}

extension TracedRead? {
    /// Asks the engine, which begins the call meanwhile.
    func asking<Output>(_ ask: () -> Output) -> Output {
        guard let self else { return ask() }
        return TracedRead.$current.withValue(self, operation: ask)
    }
}

extension CallReport {
    /// Of a call that was never sent.
    init(
        _ method: CallMethod,
        _ code: FirestoreErrorCode.Code,
        _ message: String,
        after duration: Duration = .zero
    ) {
        self.init(
            method: method.descriptor.method,
            duration: duration,
            attempts: 0,
            code: code,
            message: message
        )
    }
}
