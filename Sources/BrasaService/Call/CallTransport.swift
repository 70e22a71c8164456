package import BrasaMessages

/// What a door's transport has to offer of one call. Used on the call's event loop only.
///
/// Once a call is finished, by whomever, sending does nothing, so whoever answers late need not know.
package protocol CallTransport: AnyObject, Sendable {
    var isFinished: Bool { get }

    /// Whether the client keeps up. Being told false asks for one `CallObserver.becameWritable`.
    var isWritable: Bool { get }

    /// What was asked for may happen whether the call lives to see it or not: when it is ended early, nobody must say that
    /// nothing happened. Who can take it back does so when told that the call is cancelled, and says so here.
    var hasOpenOutcome: Bool { get set }

    /// Called once if the call is cancelled before it is finished; at once when it is already.
    func onCancel(_ observer: @escaping () -> Void)

    /// Whether there is room for an answer of so many bytes at least. If not, the call has been ended with
    /// RESOURCE_EXHAUSTED. To be asked again by whoever let time pass before carrying out what cannot be taken back.
    func hasRoom(for count: Int) -> Bool

    /// Counts bytes that the service keeps until the call ends, or will need for its answer. If there is no room for them
    /// the call has been ended with RESOURCE_EXHAUSTED.
    func hold(_ count: Int) -> Bool

    /// The same, but the call goes on: why there is no room. Then nothing is counted.
    func refusal(toHold count: Int) -> Status?

    /// The call listens to so many targets now. Why it may not, if whoever calls listens to as many as they may.
    func countListeners(_ count: Int) -> Status?

    /// Stops handing over requests, and with them the client's leave to send more.
    func pauseReading()
    func resumeReading()

    /// Sends what waits on the call's connection now if it is much, rather than at the end of the loop's turn.
    func flushIfMuch()

    /// Ends the call.
    func finish(_ status: Status)
}

/// A call that its service hears of while it lasts. Called on the call's event loop, and only until the call is finished.
package class CallObserver {
    /// The call's `isWritable` said false, and says true now.
    package func becameWritable() {}

    /// The call ended without the service's doing. Nothing can be sent any more and nothing else will be called.
    package func cancelled() {}

    /// The server wants to stop: a long-lived call should come to its end now.
    package func draining() {}
}

/// The service's end of a call with any number of requests.
package class RequestObserver<Request>: CallObserver {
    /// - Parameter byteCount: what it took where it was read.
    package func received(_ request: Request, byteCount: Int) {}

    /// A request could not be read, or there is no room to answer it: the service is to end the call with that status.
    /// Nothing behind it is handed over.
    package func failed(_ status: Status) {}

    /// The client sends no more requests.
    package func halfClosed() {}
}
