internal import BrasaDocuments
internal import BrasaGRPC
internal import BrasaMessages
internal import BrasaQueries
internal import BrasaStatus
internal import BrasaSync
internal import BrasaWire
internal import NIOCore

/// One question of the engine's to the server: BatchGetDocuments for a document, RunQuery for a query.
///
/// Unchecked: on the executor only, but for what is constant and for the part that says otherwise.
final class ReadCall: ReadConnection, @unchecked Sendable {
    typealias Completion = (Result<ServerAnswer, SyncError>) -> Void

    private let caller: Caller
    private let executor: SyncExecutor
    /// Nil once it is answered or closed.
    private var completion: Completion?
    private var call: (any CancellableCall)?

    private init(_ caller: Caller, _ executor: SyncExecutor, _ completion: @escaping Completion) {
        self.caller = caller
        self.executor = executor
        self.completion = completion
    }

    static func ask(
        _ target: SyncTarget,
        within time: Duration,
        _ caller: Caller,
        _ executor: SyncExecutor,
        _ completion: @escaping Completion
    ) -> ReadCall {
        let call = ReadCall(caller, executor, completion)
        let database = caller.database
        switch target {
        case .document(let path):
            guard let name = DocumentName(database: database, path: path) else { return call.refuse() }
            let request = BatchGetDocumentsRequest(database: database, documents: [name])
            call.ask(.batchGetDocuments, request, time) { (responses: [BatchGetDocumentsResponse]) in
                ServerAnswer(responses)
            }
        case .query(let query, let parent):
            guard let name = ParentName(database: database, path: parent) else { return call.refuse() }
            let request = RunQueryRequest(parent: name, query: query)
            call.ask(.runQuery, request, time) { (responses: [RunQueryResponse]) in ServerAnswer(responses) }
        case .bundle: return call.refuse()
        }
        return call
    }

    /// For what has no name on a server, which is never asked for.
    private func refuse() -> ReadCall {
        self.executor.enqueue { self.finish(.failure(SyncError(.invalidArgument, "This cannot be read."))) }
        return self
    }

    private func ask<Request: WireRequest, Response: WireResponse>(
        _ method: CallMethod,
        _ request: Request,
        _ time: Duration,
        _ answer: @escaping @Sendable ([Response]) -> ServerAnswer
    ) {
        let options = CallOptions(timeMax: TimeAmount(time), isUrgent: true)
        // What is asked again, after a change of user or an acknowledgement, is nobody's any more.
        let traced = TracedRead.current.map { $0.take() } ?? self.caller.traced(method)
        let call = RetryingCall<Request, Response>(self.caller, method, request, options, traced: traced)
        self.call = call
        let eventLoop = self.caller.eventLoop
        // Without a closure where that is here.
        if eventLoop.inEventLoop { self.begin(call, answer) } else { eventLoop.execute { self.begin(call, answer) } }
    }

    func close() {
        guard self.completion != nil else { return }
        self.completion = nil
        guard let call = self.call.take() else { return }
        self.caller.onLoop { call.cancel() }
    }

    private func finish(_ result: Result<ServerAnswer, SyncError>) {
        guard let completion = self.completion else { return }
        self.completion = nil
        self.call = nil
        completion(result)
    }

    // MARK: On the channel's event loop

    private func begin<Request, Response>(
        _ call: RetryingCall<Request, Response>,
        _ answer: @escaping @Sendable ([Response]) -> ServerAnswer
    ) {
        guard let time = self.caller.nextQuestion else { return self.start(call, answer) }
        self.caller.eventLoop.assumeIsolated().scheduleTask(deadline: time) { self.start(call, answer) }
    }

    private func start<Request, Response>(
        _ call: RetryingCall<Request, Response>,
        _ answer: @escaping @Sendable ([Response]) -> ServerAnswer
    ) {
        call.start { result in
            self.caller.note(result)
            let result = result.map(answer).mapError(\.syncError)
            if self.executor.runAtOnce({ self.finish(result) }) { return }
            self.executor.submit { self.finish(result) }
        }
    }
}

/// A call that can be given up, on the channel's event loop.
private protocol CancellableCall: AnyObject, Sendable {
    func cancel()
}

extension RetryingCall: CancellableCall {}

extension Caller {
    /// A server that is away is not asked more than once in that time, however often reads come.
    private static var unreachablePause: TimeAmount { .seconds(1) }

    fileprivate func note<Response>(_ result: Result<[Response], CallError>) {
        if case .failure(let error) = result, error.status.code == .unavailable {
            self.unreachableSince = self.eventLoop.now
        } else {
            self.unreachableSince = nil
        }
    }

    /// Nil: now.
    fileprivate var nextQuestion: NIODeadline? {
        guard let time = self.unreachableSince.map({ $0 + Self.unreachablePause }), time > self.eventLoop.now else {
            return nil
        }
        return time
    }
}

extension ServerAnswer {
    /// What is neither found nor missing has not been said.
    fileprivate init(_ responses: [BatchGetDocumentsResponse]) {
        self.init(documents: [], readTime: responses.lazy.compactMap(\.readTime).first)
        for response in responses {
            switch response.result {
            case .found(let named)?:
                if let document = named.document { self.add(named.name.path, document) }
            case .missing(let name)?:
                let time = response.readTime ?? .zero
                self.documents.append(
                    SyncDocument(path: name.path, kind: .missing, version: time, readTime: time)
                )
            case nil: break
            }
        }
    }

    fileprivate init(_ responses: [RunQueryResponse]) {
        self.init(documents: [], readTime: responses.lazy.compactMap(\.readTime).first)
        self.documents.reserveCapacity(responses.count)
        for case let named? in responses.lazy.map(\.document) {
            if let document = named.document { self.add(named.name.path, document) }
        }
    }

    private mutating func add(_ path: ResourcePath, _ document: Document) {
        self.documents.append(
            SyncDocument(
                path: path,
                kind: .found(document.fields),
                version: document.updateTime,
                readTime: self.readTime ?? document.updateTime,
                createTime: document.createTime
            )
        )
    }
}
