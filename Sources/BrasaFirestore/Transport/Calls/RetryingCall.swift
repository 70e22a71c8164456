internal import BrasaApp
internal import BrasaGRPC
internal import BrasaMessages
internal import BrasaStatus
internal import BrasaWire
internal import NIOCore

/// One call of the user's, however many it takes on the wire: it waits for a token and a connection, moves away from
/// connections that end before the server looked at it, and is repeated as its method's policy says, all within one
/// deadline. Has one request, and gathers the responses.
///
/// Unchecked: on the channel's event loop only; the task that waits for it passes the reference on.
final class RetryingCall<Request: WireRequest, Response: WireResponse>: @unchecked Sendable {
    private let caller: Caller
    private let method: CallMethod
    private let request: Request
    private let policy: CallPolicy
    private let options: CallOptions
    private let traced: FirestoreSettings.CallObserver?

    // All state is guarded by the event loop.
    /// Nil before the start and after the end.
    private var completion: ((Result<[Response], CallError>) -> Void)?
    private var isCancelled = false
    private var deadline: NIODeadline?
    private var begun: NIODeadline?
    private var attempts = 0
    private var moves = 0
    private var hasRefreshed = false
    private var token: Credentials.Token?
    private var tokenWaiter: Credentials.Waiter?
    private var waiter: CallChannel.Waiter?
    private var call: GRPCClientCall?
    /// Nil while it waits for nothing, as most calls.
    private var alarm: DeadlineAlarm?

    /// - Parameter traced: who follows it, and is told of its end.
    init(
        _ caller: Caller,
        _ method: CallMethod,
        _ request: Request,
        _ options: CallOptions,
        traced: FirestoreSettings.CallObserver?
    ) {
        self.caller = caller
        self.method = method
        self.request = request
        var policy = caller.policies[method]
        if let timeMax = options.timeMax { policy.timeout = min(policy.timeout ?? timeMax, timeMax) }
        self.policy = policy
        self.options = options
        self.traced = traced
    }

    private var now: NIODeadline { self.caller.eventLoop.now }

    /// `completion` is called once.
    func start(_ completion: @escaping (Result<[Response], CallError>) -> Void) {
        guard !self.isCancelled else {
            self.caller.report(self.method, begun: nil, attempts: 0, .cancelledByUser, to: self.traced)
            return completion(.failure(.cancelledByUser()))
        }
        self.completion = completion
        self.begun = self.caller.reportedBeginning
        self.deadline = self.policy.timeout.map { self.now + $0 }
        self.attempt()
    }

    /// The task that waits was cancelled.
    func cancel() {
        self.isCancelled = true
        guard self.completion != nil else { return }
        let wasSent = self.call != nil
        guard !wasSent || self.options.cancellation == .ends else { return }
        let call = self.call
        self.end(.failure(.cancelledByUser(mayHaveBeenApplied: wasSent && self.method.changesDocuments)))
        call?.cancel()
    }

    // MARK: One attempt

    private func attempt() {
        self.attempts += 1
        self.place()
    }

    /// Starts the attempt, or starts it again elsewhere.
    private func place() {
        // Whatever it waits for, it does not wait longer.
        if let deadline = self.deadline, deadline <= self.now { return self.expire() }
        self.tokenWaiter = self.caller.credentials.withToken { result in
            self.tokenWaiter = nil
            guard self.completion != nil else { return }
            switch result {
            case .success(let token):
                self.token = token
                self.findLink(token)
            case .failure(let failure): self.end(.failure(CallError(failure, of: self.method)))
            }
        }
        self.boundWaiting()
    }

    /// Once it is sent, the connection sees to the deadline.
    private func boundWaiting() {
        let isWaiting = self.completion != nil && (self.tokenWaiter != nil || self.waiter != nil)
        guard isWaiting, self.alarm == nil, let deadline = self.deadline else { return }
        self.setAlarm(deadline) { self.expire() }
    }

    private func setAlarm(_ time: NIODeadline, _ action: @escaping () -> Void) {
        let alarm = DeadlineAlarm {
            self.alarm = nil
            action()
        }
        self.alarm = alarm
        self.caller.channel.deadlines.insert(alarm, deadline: time, now: self.now)
    }

    private func clearAlarm() {
        if let alarm = self.alarm.take() { self.caller.channel.deadlines.remove(alarm) }
    }

    private func findLink(_ token: Credentials.Token) {
        self.waiter = self.caller.channel.acquire(isUrgent: self.options.isUrgent) { result in
            self.waiter = nil
            guard self.completion != nil else { return }
            switch result {
            case .success(let link): self.send(over: link, token)
            case .failure(let failure): self.failed(failure, wasPlaced: false)
            }
        }
    }

    private func send(over link: Link, _ token: Credentials.Token) {
        self.clearAlarm()
        let remaining = self.deadline.map { $0 - self.now }
        var message = link.grpc.makeMessageBuffer(capacity: 256)
        self.request.encode(into: &message)
        let request = self.caller.request(self.method, token: token, timeout: remaining)
        let collector = ResponseCollector<Response> { responses, result in
            self.call = nil
            if result.isAnswer { link.noteAnswer() }
            self.finished(responses, result)
        }
        let call = link.grpc.serverStreaming(request, message, handler: collector)
        if !call.isFinished { self.call = call }
        collector.call = call
    }

    private func finished(_ responses: [Response], _ result: GRPCCallResult) {
        guard self.completion != nil else { return }
        if result.status.isOK { return self.end(.success(responses)) }
        self.failed(result, wasPlaced: true)
    }

    // MARK: What follows a failure

    private func failed(_ result: GRPCCallResult, wasPlaced: Bool) {
        self.clearAlarm()
        if self.isCancelled {
            let error = CallError(result, of: self.method)
            return self.end(.failure(error.mayHaveBeenApplied ? error : .cancelledByUser()))
        }
        if wasPlaced, result.isSafeToRepeat, self.moves < Self.movesMax {
            // GOAWAY, or a refused stream: no failure of the call's.
            self.moves += 1
            return self.later(self.place)
        }
        if result.status.code == .unauthenticated, result.isAnswer {
            self.caller.credentials.invalidate(self.token)
            if !self.hasRefreshed, self.caller.credentials.canRefresh {
                self.hasRefreshed = true
                return self.later(self.place)
            }
        }
        let chance = Double.random(in: 0..<1)
        if self.options.isUrgent, !wasPlaced { return self.end(.failure(CallError(unsent: result))) }
        guard let wait = self.policy.retry.backoff(after: result, attempts: self.attempts, chance: chance),
            self.deadline.map({ self.now + wait < $0 }) ?? true
        else {
            // What found no connection was not sent.
            let failure = wasPlaced ? CallError(result, of: self.method) : CallError(unsent: result)
            return self.end(.failure(failure))
        }
        Firestore.log.debug("\(self.method) failed and is called again: \(result.status.message)")
        self.setAlarm(self.now + wait) { self.attempt() }
    }

    private static var movesMax: Int { 8 }

    /// Not inside the callback of a stream that is just ending.
    private func later(_ body: @escaping () -> Void) {
        self.caller.eventLoop.assumeIsolated().execute {
            if self.completion != nil { body() }
        }
    }

    private func expire() {
        let missing =
            if self.tokenWaiter != nil { "token" } else if self.waiter != nil { "connection" } else { "answer" }
        self.end(.failure(CallError(GRPCStatus(.deadlineExceeded, "There was no \(missing) before the deadline"))))
    }

    private func end(_ result: Result<[Response], CallError>) {
        guard let completion = self.completion else { return }
        self.completion = nil
        self.clearAlarm()
        self.tokenWaiter?.cancel()
        self.tokenWaiter = nil
        self.waiter?.cancel()
        self.waiter = nil
        self.call = nil
        let status = if case .failure(let error) = result { error.status } else { GRPCStatus.ok }
        self.caller.report(self.method, begun: self.begun, attempts: self.attempts, status, to: self.traced)
        completion(result)
    }
}

extension GRPCStatus {
    fileprivate static let cancelledByUser = GRPCStatus(.cancelled, "The task was cancelled.")
}

extension CallError {
    fileprivate static func cancelledByUser(mayHaveBeenApplied: Bool = false) -> CallError {
        CallError(.cancelledByUser, mayHaveBeenApplied: mayHaveBeenApplied, cause: CancellationError())
    }
}

/// Gathers the responses of one attempt.
private final class ResponseCollector<Response: WireResponse>: GRPCClientResponseHandler {
    private var responses: [Response] = []
    private var failure: GRPCCallResult?
    private let completion: ([Response], GRPCCallResult) -> Void
    /// Holds this handler in turn, until it ends.
    weak var call: GRPCClientCall?

    init(_ completion: @escaping ([Response], GRPCCallResult) -> Void) {
        self.completion = completion
    }

    func received(message: ByteBuffer) {
        guard self.failure == nil else { return }
        do throws(WireError) {
            self.responses.append(try Response(decoding: message))
        } catch {
            self.failure = .unreadable(error)
            self.call?.cancel()
        }
    }

    func finished(_ result: GRPCCallResult) {
        self.completion(self.responses, self.failure ?? result)
    }
}

extension GRPCCallResult {
    /// To a client an unreadable response is the server's fault.
    static func unreadable(_ error: WireError) -> GRPCCallResult {
        GRPCCallResult(GRPCStatus(.internal, "The server's response cannot be read: \(error.status.message)"))
    }
}
