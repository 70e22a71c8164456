internal import BrasaHTTP2
package import NIOCore

/// One call on a server: the stream's handler and the service's handle on it in one object. Once the call is finished,
/// by whomever, sending does nothing, so whoever answers late need not know.
///
/// What comes and what goes are machines of their own (`GRPCReceiving`, `GRPCSending`), which decide; the call acts.
///
/// Unchecked, because it lives on one event loop, and `send`, `finish` and the rest check that. It is Sendable so that a
/// completion can carry it through another thread back to its loop.
package final class GRPCServerCall: DeadlineEntry, @unchecked Sendable {
    // Used again for another call when its stream is gone and nobody else has it (`GRPCServerLoop`): what is added here is
    // to be set back in `begin`. All state is guarded by the event loop.
    package let eventLoop: any EventLoop
    // Both nil when the stream is gone.
    private(set) var connection: GRPCServerConnection?
    private(set) var stream: HTTP2Stream?
    // Near it, since both are asked for each message: those of thousands of calls are not in the processor's caches.
    var sending = GRPCSending()
    var method: GRPCMethodTable.Method?
    /// What the request's headers had of the metadata that services read.
    package internal(set) var metadata = GRPCMetadata()
    /// What the gate has found out about who calls; for whoever set up the gate.
    package var caller: AnyObject?
    /// What the call takes of what its caller may, let go of when it is finished; for whoever set up the gate.
    package var claim: (any GRPCClaim)?
    /// In the loop's list of watched calls.
    var watchedPlace: Int?
    var receiving: GRPCReceiving
    var kept = GRPCKeptBytes()
    var time = GRPCTimeLimit()
    var service = Service()
    var measure = GRPCCallMeasure()

    /// The service's ears; let go of when the call is finished, since they usually hold the call.
    struct Service {
        var handler: (any GRPCServerStreamHandler)?
        var cancelObserver: (() -> Void)?
        /// A handler that comes now is to hear of the drain at once.
        var isDraining = false
    }

    init(stream: HTTP2Stream, connection: GRPCServerConnection) {
        self.stream = stream
        self.eventLoop = stream.eventLoop
        self.connection = connection
        self.receiving = GRPCReceiving(messageBytesMax: connection.server.limits.messageBytesMax)
        super.init()
    }

    /// Turns a call whose stream is gone into another of the same loop.
    func begin(on stream: HTTP2Stream, of connection: GRPCServerConnection) {
        self.stream = stream
        self.connection = connection
        self.method = nil
        // Whoever asked who calls may have answered late.
        self.caller = nil
        self.claim = nil
        self.receiving = GRPCReceiving(messageBytesMax: connection.server.limits.messageBytesMax)
        self.sending = GRPCSending()
        self.kept = GRPCKeptBytes()
        self.time = GRPCTimeLimit()
        self.service = Service()
        self.measure = GRPCCallMeasure()
    }

    package var deadline: NIODeadline? { self.time.deadline }

    /// What services keep for all calls of the call's connection, for example what they have looked up for the last one.
    package var connectionState: AnyObject? {
        get { self.connection?.state }
        set { self.connection?.state = newValue }
    }

    package var descriptor: GRPCMethodDescriptor? { self.method?.descriptor }
    package var kind: GRPCMethodKind? { self.method?.kind }

    package var allocator: ByteBufferAllocator { ByteBufferAllocator() }

    /// The client is gone or the deadline has passed: work for this call is in vain.
    package var isCancelled: Bool { self.sending.phase == .cancelled }

    /// Whether it waits for the gate's answer.
    package var isHeld: Bool { !self.isFinished && self.receiving.isHeld }

    package var isFinished: Bool { !self.sending.isOpen }

    /// Whether the stream has room for more responses. Being told false asks for one `becameWritable`.
    package var isWritable: Bool { self.sending.isOpen && self.stream?.isWritable == true }

    /// What was asked for may happen whether the call lives to see it or not: when the server ends the call early it must not
    /// say that nothing happened. Who can take it back does so when told that the call is cancelled, and says so here.
    package var hasOpenOutcome: Bool {
        get { self.sending.hasOpenOutcome }
        set { self.sending.hasOpenOutcome = newValue }
    }

    /// Called once if the call is cancelled before it is finished (see `isCancelled`); at once when it is already.
    package func onCancel(_ observer: @escaping () -> Void) {
        self.eventLoop.preconditionInEventLoop()
        switch self.sending.phase {
        case .fresh, .begun: self.service.cancelObserver = observer
        case .finished: break
        case .cancelled: observer()
        }
    }

    override func deadlineExpired() {
        guard let stream = self.stream, let connection = self.connection else { return }
        let isBlocked = stream.bufferedBytes > 0
        self.fail(self.time.isReceiving ? connection.server.requestTooSlow : .deadlineExceeded)
        // The status would wait behind bytes that the client does not take.
        if isBlocked { stream.reset(.cancel) }
    }

    /// Lists the call with those that `GRPCServer.forEachWatched` visits, until it is finished.
    package func watch() {
        guard !self.isFinished else { return }
        self.connection?.loop.watch(self)
    }

    // MARK: Ends

    /// Ends the call from outside of its service, which hears that it is cancelled.
    package func end(_ status: GRPCStatus) {
        self.eventLoop.preconditionInEventLoop()
        self.fail(status)
    }

    /// Ends the call from this room's side: the service hears that it is cancelled.
    func fail(_ status: GRPCStatus) {
        guard self.sending.isOpen else { return }
        let (handler, observer) = (self.service.handler, self.service.cancelObserver)
        self.finish(status)
        self.sending.cancel()
        handler?.cancelled()
        observer?()
    }

    /// The stream is gone, and with it whatever the call was about.
    func lose() {
        if self.sending.isOpen {
            let (handler, observer) = (self.service.handler, self.service.cancelObserver)
            self.sending.cancel()
            self.conclude(.cancelled)
            self.letGo()
            handler?.cancelled()
            observer?()
        }
        let loop = self.connection?.loop
        self.stream = nil
        self.connection = nil
        loop?.retire(self)
    }

    /// Lets go of everything that the end of the call makes useless.
    func letGo() {
        self.connection?.loop.deadlines.remove(self)
        self.connection?.loop.unwatch(self)
        self.service = Service()
        self.metadata.removeAll()
        self.caller = nil
        self.claim = nil
        self.kept.letGo()
        let credit = self.receiving.close()
        self.countKept()
        self.stream?.consume(credit)
    }
}
