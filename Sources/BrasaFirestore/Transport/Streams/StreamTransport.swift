internal import BrasaDocuments
internal import BrasaMessages
package import BrasaSync
internal import BrasaWire
internal import NIOCore

/// The engine's two streams over the channel.
package final class StreamTransport: SyncTransport {
    private let caller: Caller
    private let executor: SyncExecutor

    package init(_ caller: Caller, executor: SyncExecutor) {
        self.caller = caller
        self.executor = executor
    }

    package func openWatchStream(_ delegate: any WatchStreamDelegate) -> any WatchConnection {
        WatchStream(self.caller, executor: self.executor, delegate: delegate)
    }

    package func openWriteStream(_ delegate: any WriteStreamDelegate) -> any WriteConnection {
        WriteStream(self.caller, executor: self.executor, delegate: delegate)
    }

    package func read(
        _ target: SyncTarget,
        within time: Duration,
        completion: @escaping (Result<ServerAnswer, SyncError>) -> Void
    ) -> any ReadConnection {
        ReadCall.ask(target, within: time, self.caller, self.executor, completion)
    }

    package func invalidateCredentials() {
        let caller = self.caller
        caller.eventLoop.execute { caller.credentials.invalidate() }
    }
}

/// The Listen stream.
final class WatchStream: WatchConnection {
    private let database: DatabaseName
    let call: StreamCall<ListenRequest, ListenResponse, WatchMessage>

    init(_ caller: Caller, executor: SyncExecutor, delegate: any WatchStreamDelegate) {
        let database = caller.database
        self.database = database
        self.call = StreamCall(
            caller,
            .listen,
            executor: executor,
            sink: .init(
                opened: { delegate.watchStreamOpened() },
                received: { delegate.watchStreamReceived($0) },
                closed: { delegate.watchStreamClosed($0) }
            ),
            convert: { response throws(WireError) in try WatchMessage(response, in: database) }
        )
        self.call.open()
    }

    func send(_ request: WatchRequest) {
        self.call.send(ListenRequest(request, in: self.database))
    }

    func close() {
        self.call.close(inGoodOrder: false)
    }
}

/// The Write stream.
private final class WriteStream: WriteConnection {
    private let database: DatabaseName
    private let call: StreamCall<BrasaMessages.WriteRequest, WriteResponse, WriteMessage>
    /// The last request is under way, so the server is given time to take it.
    private var saidGoodbye = false

    init(_ caller: Caller, executor: SyncExecutor, delegate: any WriteStreamDelegate) {
        self.database = caller.database
        self.call = StreamCall(
            caller,
            .write,
            executor: executor,
            sink: .init(
                opened: { delegate.writeStreamOpened() },
                received: { delegate.writeStreamReceived($0) },
                closed: { delegate.writeStreamClosed($0) }
            ),
            convert: { response throws(WireError) in try WriteMessage(response) }
        )
        self.call.open()
    }

    func send(_ request: BrasaSync.WriteRequest) {
        if case .goodbye = request { self.saidGoodbye = true }
        self.call.send(BrasaMessages.WriteRequest(request, in: self.database))
    }

    func close() {
        self.call.close(inGoodOrder: self.saidGoodbye)
    }
}
