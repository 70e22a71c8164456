internal import BrasaApp
internal import BrasaSync
internal import Dispatch
internal import Foundation

/// Where the engine lives.
protocol EngineHost: Sendable {
    /// Runs the work on the engine's executor, after what was handed over before.
    func run(_ work: @escaping @Sendable (SyncClient) -> Void)
    /// The engine is not used any more: lets go of the network.
    func close() async
}

/// What one `Firestore` works with once it is used.
final class ClientCore: Sendable {
    /// Where users' handlers are called.
    let queue: DispatchQueue
    /// To the server, past the engine.
    let calls: any DatastoreCalls
    /// The same for those who have waited at the gate.
    let passedCalls: any DatastoreCalls
    let gate: CallGate
    private let host: any EngineHost
    /// Is told of calls that begin.
    private let tracer: FirestoreSettings.CallTracer?

    init(
        queue: DispatchQueue,
        host: any EngineHost,
        calls: (any DatastoreCalls)?,
        gate: CallGate = CallGate(),
        tracer: FirestoreSettings.CallTracer? = nil
    ) {
        self.queue = queue
        self.host = host
        self.calls = GatedCalls(calls: calls, gate: gate)
        self.passedCalls = GatedCalls(calls: calls, gate: gate, isPassed: true)
        self.gate = gate
        self.tracer = tracer
    }

    /// A call that the engine will make for whoever asks now, where somebody follows calls. Other reads than the server's are
    /// none.
    func tracedRead(_ method: CallMethod, _ source: FirestoreSource) -> TracedRead? {
        guard source == .server, let tracer = self.tracer else { return nil }
        return TracedRead(method, tracer)
    }

    /// For what has no meaning without the server; an `NSError` while the network is disabled and after the end.
    func callsOnline() throws -> any DatastoreCalls {
        do throws(SyncError) {
            try self.gate.check()
        } catch {
            throw error.nsError
        }
        return self.calls
    }

    /// Does something with the engine after all that was asked before. What the work holds is not used by the caller any
    /// more.
    func run(_ work: @escaping (SyncClient) -> Void) {
        // Handed over and not used again. `Handed` would put a closure around it, for every call.
        nonisolated(unsafe) let work = work
        self.host.run { work($0) }
    }

    func close() async {
        await self.host.close()
    }

    /// Calls a user's handler, which need not be Sendable: it is handed over and not used again.
    func tell(_ handler: @escaping () -> Void) {
        let handler = Handed(handler)
        self.queue.async { handler.value() }
    }
}

extension ClientCore {
    /// The same after all that was told before, also on a concurrent queue, unless that is one of the system's.
    func tellLast(_ handler: @escaping () -> Void) {
        let handler = Handed(handler)
        self.queue.async(flags: .barrier) { handler.value() }
    }
}
