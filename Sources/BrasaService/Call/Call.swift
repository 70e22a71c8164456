package import BrasaIdentity
package import BrasaMessages

/// One call as its service sees it: who asks, and how to answer them. Neither bytes nor a transport; those are the door's.
/// Used on the call's event loop only; completions merely carry it there.
package struct Call<Response: Sendable>: Sendable {
    /// The door's own object for the call.
    private let handle: any CallHandle
    private let functions: CallFunctions<Response>
    package let caller: Caller
    /// What the request took where it was read, and whoever keeps the request about takes again.
    package let requestBytes: Int

    init(handle: any CallHandle, functions: CallFunctions<Response>, caller: Caller, requestBytes: Int) {
        self.handle = handle
        self.functions = functions
        self.caller = caller
        self.requestBytes = requestBytes
    }
}

// What `CallTransport` says of each.
extension Call {
    package var isFinished: Bool { self.functions.transport.isFinished(self.handle) }
    package var isWritable: Bool { self.functions.transport.isWritable(self.handle) }

    package var hasOpenOutcome: Bool {
        get { self.functions.transport.hasOpenOutcome(self.handle) }
        nonmutating set { self.functions.transport.setOpenOutcome(self.handle, newValue) }
    }

    package func onCancel(_ observer: @escaping () -> Void) {
        self.functions.transport.onCancel(self.handle, observer)
    }

    package func hasRoom(for count: Int = 1) -> Bool { self.functions.transport.hasRoom(self.handle, count) }
    package func hold(_ count: Int) -> Bool { self.functions.transport.hold(self.handle, count) }
    package func refusal(toHold count: Int) -> Status? { self.functions.transport.refusal(self.handle, count) }
    package func countListeners(_ count: Int) -> Status? { self.functions.transport.countListeners(self.handle, count) }
    package func pauseReading() { self.functions.transport.pauseReading(self.handle) }
    package func resumeReading() { self.functions.transport.resumeReading(self.handle) }
    package func flushIfMuch() { self.functions.transport.flushIfMuch(self.handle) }
    package func finish(_ status: Status) { self.functions.transport.finish(self.handle, status) }
}

extension Call {
    /// Sends one response of a stream; about how many bytes it is. Nothing stops a caller that ignores `isWritable` but its
    /// own bound.
    @discardableResult
    package func send(_ response: Response) -> Int { self.functions.send(self.handle, response) }

    /// Sends several responses of a stream at once; about how many bytes they were.
    func send(_ responses: any ResponseBatch<Response>) -> Int { self.functions.sendBatch(self.handle, responses) }

    /// Sends a response that other calls are sent too.
    package func send(_ response: SharedResponse<Response>) { self.functions.sendShared(self.handle, response) }

    package func send(_ responses: SharedPair<Response>) { self.functions.sendPair(self.handle, responses) }

    /// The one response of a successful call that changed nothing; RESOURCE_EXHAUSTED when there is no room for it.
    package func respond(_ response: Response) { self.functions.respond(self.handle, response) }

    /// The same for a call that may have changed something: what has happened is told in any case. Whether there is room
    /// was found out before the call was handed over, and is asked again (`hasRoom`) by whoever waits before the change.
    package func respond(outcome response: Response) { self.functions.respondOutcome(self.handle, response) }
}
