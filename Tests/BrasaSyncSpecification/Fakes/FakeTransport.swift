import BrasaDocuments
import BrasaSync

/// Streams that open at once, remember what they are sent and say what they are told to say.
final class FakeTransport: SyncTransport {
    private let scheduler: FakeScheduler
    private(set) var watch: FakeWatchConnection?
    private(set) var writes: FakeWriteConnection?
    private(set) var watchRequests = 0
    private(set) var writeRequests = 0
    private(set) var invalidations = 0
    /// Everything that was sent on the watch streams.
    private(set) var sent: [WatchRequest] = []
    /// Asked past the streams and not answered, oldest first.
    private(set) var questions: [FakeQuestion] = []
    var watchOpened: () -> Void = {}
    var watchSent: (WatchRequest) -> Void = { _ in }
    /// What the server says to a handshake, or why it refuses it.
    var greet: (WriteStreamPosition?) -> Result<[WriteMessage], SyncError> = { _ in
        .success([WriteMessage(streamToken: [1], commitTime: nil, results: [])])
    }
    /// With what was sent and not answered.
    var writesClosed: ([[Write]]) -> Void = { _ in }
    var tokenSeen: ([UInt8]) -> Void = { _ in }

    init(_ scheduler: FakeScheduler) {
        self.scheduler = scheduler
    }

    func openWatchStream(_ delegate: any WatchStreamDelegate) -> any WatchConnection {
        let connection = FakeWatchConnection(delegate, self)
        self.watch = connection
        self.watchOpened()
        self.scheduler.enqueue { delegate.watchStreamOpened() }
        return connection
    }

    func openWriteStream(_ delegate: any WriteStreamDelegate) -> any WriteConnection {
        let connection = FakeWriteConnection(delegate, self)
        self.writes = connection
        self.scheduler.enqueue { delegate.writeStreamOpened() }
        return connection
    }

    func read(
        _ target: SyncTarget,
        within time: Duration,
        completion: @escaping (Result<ServerAnswer, SyncError>) -> Void
    ) -> any ReadConnection {
        let question = FakeQuestion(target, time, self, completion)
        self.questions.append(question)
        return question
    }

    /// Answers the oldest question, or another one.
    func answerRead(at index: Int = 0, _ result: Result<ServerAnswer, SyncError>) {
        guard index < self.questions.count else { return }
        let question = self.questions.remove(at: index)
        self.scheduler.enqueue { question.completion?(result) }
    }

    fileprivate func closed(_ question: FakeQuestion) {
        self.questions.removeAll { $0 === question }
    }

    func invalidateCredentials() {
        self.invalidations += 1
    }

    func say(_ message: WatchMessage) {
        guard let watch = self.watch else { return }
        self.scheduler.enqueue { watch.delegate.watchStreamReceived(message) }
    }

    func answer(_ message: WriteMessage) {
        guard let writes = self.writes else { return }
        if !writes.pending.isEmpty { writes.pending.removeFirst() }
        self.scheduler.enqueue { writes.delegate.writeStreamReceived(message) }
    }

    func breakWatch(_ error: SyncError?) {
        guard let watch = self.watch else { return }
        self.watch = nil
        self.scheduler.enqueue { watch.delegate.watchStreamClosed(error) }
    }

    func breakWrites(_ error: SyncError?) {
        guard let writes = self.writes else { return }
        self.writes = nil
        self.writesClosed(writes.pending)
        self.scheduler.enqueue { writes.delegate.writeStreamClosed(error) }
    }

    fileprivate func closed(_ connection: FakeWatchConnection) {
        if self.watch === connection { self.watch = nil }
    }

    fileprivate func closed(_ connection: FakeWriteConnection) {
        guard self.writes === connection else { return }
        self.writes = nil
        self.writesClosed(connection.pending)
    }

    fileprivate func noteSent(_ request: WatchRequest) {
        self.watchRequests += 1
        self.sent.append(request)
        self.watchSent(request)
    }

    fileprivate func noteSent(_ request: WriteRequest, _ connection: FakeWriteConnection) {
        self.writeRequests += 1
        switch request {
        case .handshake(let position): self.answer(connection, self.greet(position))
        case .writes(_, let token), .goodbye(let token): self.tokenSeen(token)
        }
    }

    private func answer(_ connection: FakeWriteConnection, _ greeting: Result<[WriteMessage], SyncError>) {
        switch greeting {
        case .success(let messages):
            for message in messages {
                self.scheduler.enqueue { connection.delegate.writeStreamReceived(message) }
            }
        case .failure(let error): self.breakWrites(error)
        }
    }
}

final class FakeQuestion: ReadConnection {
    let target: SyncTarget
    let time: Duration
    private unowned let transport: FakeTransport
    /// Nil once closed.
    private(set) var completion: ((Result<ServerAnswer, SyncError>) -> Void)?

    init(
        _ target: SyncTarget,
        _ time: Duration,
        _ transport: FakeTransport,
        _ completion: @escaping (Result<ServerAnswer, SyncError>) -> Void
    ) {
        self.target = target
        self.time = time
        self.transport = transport
        self.completion = completion
    }

    func close() {
        self.completion = nil
        self.transport.closed(self)
    }
}

final class FakeWatchConnection: WatchConnection {
    let delegate: any WatchStreamDelegate
    private unowned let transport: FakeTransport
    /// By wire id.
    var active: [WireTargetID: WatchRequest.AddTarget] = [:]

    init(_ delegate: any WatchStreamDelegate, _ transport: FakeTransport) {
        self.delegate = delegate
        self.transport = transport
    }

    func send(_ request: WatchRequest) {
        switch request {
        case .add(let target): self.active[target.id] = target
        case .remove(let id): self.active[id] = nil
        }
        self.transport.noteSent(request)
    }

    func close() {
        self.transport.closed(self)
    }
}

final class FakeWriteConnection: WriteConnection {
    let delegate: any WriteStreamDelegate
    private unowned let transport: FakeTransport
    /// Not answered yet, oldest first.
    var pending: [[Write]] = []

    init(_ delegate: any WriteStreamDelegate, _ transport: FakeTransport) {
        self.delegate = delegate
        self.transport = transport
    }

    func send(_ request: WriteRequest) {
        if case .writes(let writes, _) = request { self.pending.append(writes) }
        self.transport.noteSent(request, self)
    }

    func close() {
        self.transport.closed(self)
    }
}
