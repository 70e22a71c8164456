internal import BrasaApp
internal import BrasaGRPC
internal import BrasaMessages
internal import BrasaSync
internal import BrasaWire
internal import NIOCore
internal import Synchronization

/// One long stream between the engine's executor and the channel's event loop: requests go down, messages come up, each
/// in order. What the engine has not taken yet is bounded: past it nothing more is read, and the server waits.
///
/// Unchecked: each state says what guards it.
final class StreamCall<Request: WireRequest, Response: WireResponse, Message: Sendable>: @unchecked Sendable {
    /// The engine's end. Called on the executor.
    struct Sink {
        var opened: () -> Void
        var received: (Message) -> Void
        var closed: (SyncError?) -> Void
    }

    private let caller: Caller
    private let method: CallMethod
    private let executor: SyncExecutor
    /// Nil for what is to be passed over.
    private let convert: @Sendable (Response) throws(WireError) -> Message?

    // On the executor. Nil once closed, from either end.
    private var sink: Sink?

    // On the channel's event loop.
    private var isAbandoned = false
    private var begun: NIODeadline?
    /// Who follows it. Nil once told.
    private var traced: FirestoreSettings.CallObserver?
    private var tokenWaiter: Credentials.Waiter?
    private var waiter: CallChannel.Waiter?
    private var call: GRPCClientCall?
    private var link: Link?
    private var failure: GRPCCallResult?

    // Between the two.
    private let mailbox = Mutex(Mailbox())

    private enum Event {
        case opened
        case received(Message, bytes: Int)
        case closed(SyncError?)
    }

    private struct Mailbox {
        var events: [Event] = []
        var bytes = 0
        /// Reading stopped because of it.
        var isPaused = false

        var isFull: Bool { self.events.count >= 1_000 || self.bytes >= 1 << 20 }
    }

    init(
        _ caller: Caller,
        _ method: CallMethod,
        executor: SyncExecutor,
        sink: Sink,
        convert: @escaping @Sendable (Response) throws(WireError) -> Message?
    ) {
        self.caller = caller
        self.method = method
        self.executor = executor
        self.sink = sink
        self.convert = convert
    }

    /// Messages that the engine has not taken, and news of the stream.
    var undelivered: Int { self.mailbox.withLock { $0.events.count } }

    // MARK: On the executor

    func open() {
        self.caller.eventLoop.execute { self.connect() }
    }

    func send(_ request: Request) {
        self.caller.onLoop {
            guard let call = self.call else { return }
            var message = call.connection.makeMessageBuffer(capacity: 256)
            request.encode(into: &message)
            call.send(message)
        }
    }

    /// Nothing is heard of it any more. A stream in good order lets the server finish what it was sent.
    func close(inGoodOrder: Bool) {
        self.sink = nil
        self.caller.onLoop { self.abandon(inGoodOrder: inGoodOrder) }
    }

    private func log(_ event: Event) {
        switch event {
        case .opened: Firestore.log.debug("a \(self.method) stream was opened")
        case .closed(let error):
            Firestore.log.debug("a \(self.method) stream has ended: \(error?.message ?? "in good order")")
        case .received: break
        }
    }

    private func deliver() {
        let (events, wasPaused) = self.mailbox.withLock { mailbox in
            defer { mailbox = Mailbox() }
            return (mailbox.events, mailbox.isPaused)
        }
        for event in events { self.deliver(event) }
        if wasPaused { self.caller.onLoop { self.call?.resumeReading() } }
    }

    private func deliver(_ event: Event) {
        // Whoever hears of one may close.
        guard let sink = self.sink else { return }
        self.log(event)
        switch event {
        case .opened: sink.opened()
        case .received(let message, _): sink.received(message)
        case .closed(let error):
            self.sink = nil
            sink.closed(error)
        }
    }

    // MARK: On the event loop

    private func post(_ event: Event) {
        // Nothing is put by where engine and connection share a loop, unless something is already.
        if self.undelivered == 0, self.executor.runAtOnce({ self.deliver(event) }) { return }
        let (isFirst, isFull) = self.mailbox.withLock { mailbox in
            mailbox.events.append(event)
            if case .received(_, let bytes) = event { mailbox.bytes += bytes }
            if mailbox.isFull { mailbox.isPaused = true }
            return (mailbox.events.count == 1, mailbox.isPaused)
        }
        if isFull { self.call?.pauseReading() }
        if isFirst { self.executor.deliver { self.deliver() } }
    }

    private func connect() {
        guard !self.isAbandoned else { return }
        self.traced = self.caller.traced(self.method)
        self.begun = self.caller.reportedBeginning
        self.tokenWaiter = self.caller.credentials.withToken { result in
            self.tokenWaiter = nil
            guard !self.isAbandoned else { return }
            switch result {
            case .success(let token): self.findLink(token)
            case .failure(let failure): self.ended(failure)
            }
        }
    }

    private func findLink(_ token: Credentials.Token) {
        self.waiter = self.caller.channel.acquire(isUrgent: true) { result in
            self.waiter = nil
            guard !self.isAbandoned else { return }
            switch result {
            case .success(let link): self.start(over: link, token)
            case .failure(let failure): self.ended(failure)
            }
        }
    }

    private func start(over link: Link, _ token: Credentials.Token) {
        let request = self.caller.request(self.method, token: token, timeout: self.caller.policies[self.method].timeout)
        self.link = link
        let call = link.grpc.bidirectional(request, handler: self)
        guard !call.isFinished else { return }
        self.call = call
        self.post(.opened)
    }

    private func ended(_ result: GRPCCallResult) {
        self.caller.report(self.method, begun: self.begun, attempts: 1, result.status, to: self.traced.take())
        self.post(.closed(result.status.isOK ? nil : SyncError(result)))
    }

    private func abandon(inGoodOrder: Bool) {
        self.isAbandoned = true
        self.tokenWaiter?.cancel()
        self.tokenWaiter = nil
        self.waiter?.cancel()
        self.waiter = nil
        guard let call = self.call else {
            let duration = self.begun.map { Duration(self.caller.eventLoop.now - $0) } ?? .zero
            let message = "The stream is not needed any more."
            self.traced.take()?(CallReport(self.method, .cancelled, message, after: duration))
            return
        }
        guard inGoodOrder else { return call.cancel() }
        call.halfClose()
        call.resumeReading()
        self.caller.eventLoop.assumeIsolated().scheduleTask(in: Self.farewell) { call.cancel() }
    }

    /// How long a server may take to answer the last request of a stream that nobody listens to.
    private static var farewell: TimeAmount { .seconds(5) }
}

extension StreamCall: GRPCClientResponseHandler {
    func received(metadata: GRPCMetadata) {
        self.link?.noteAnswer()
    }

    func received(message: ByteBuffer) {
        guard self.failure == nil, !self.isAbandoned else { return }
        do throws(WireError) {
            guard let converted = try self.convert(Response(decoding: message)) else { return }
            self.post(.received(converted, bytes: message.readableBytes))
        } catch {
            self.failure = .unreadable(error)
            self.call?.cancel()
        }
    }

    func finished(_ result: GRPCCallResult) {
        if result.isAnswer { self.link?.noteAnswer() }
        self.call = nil
        self.link = nil
        self.ended(self.failure ?? result)
    }
}
