import BrasaClientNetwork
import BrasaDocuments
import BrasaMessages
import BrasaWire
import Dispatch
import NIOCore
import Synchronization
import Testing

@testable import BrasaFirestore
@testable import BrasaSync

/// An executor on a thread of its own, which can be held.
final class TestExecutor: Sendable {
    let executor = SyncExecutor(EventLoopThread())
    private let gate = DispatchSemaphore(value: 0)

    func run(_ work: @escaping @Sendable () -> Void) async {
        try? await self.executor.eventLoop.submit(work).get()
    }

    /// Nothing runs until `release`.
    func hold() {
        let gate = self.gate
        self.executor.submit { gate.wait() }
    }

    func release() { self.gate.signal() }
}

/// A watch stream and what came over it.
final class WatchProbe: Sendable {
    let executor = TestExecutor()
    private let state: NIOLoopBoundBox<State>
    private let client: TransportClient
    private let incoming: AsyncStream<WatchMessage>
    private let call = Mutex<StreamCall<ListenRequest, ListenResponse, WatchMessage>?>(nil)

    /// Guarded by the executor.
    private struct State {
        var transport: StreamTransport
        var delegate: Delegate
        var connection: (any WatchConnection)?
    }

    init(_ client: TransportClient) {
        self.client = client
        let (incoming, arrived) = AsyncStream.makeStream(of: WatchMessage.self, bufferingPolicy: .unbounded)
        self.incoming = incoming
        self.state = NIOLoopBoundBox.makeBoxSendingValue(
            State(
                transport: StreamTransport(client.caller, executor: self.executor.executor),
                delegate: Delegate(arrived)
            ),
            eventLoop: self.executor.executor.eventLoop
        )
    }

    /// Opens the stream and sends the requests as soon as it stands.
    func watch(_ requests: [WatchRequest]) async {
        let state = self.state
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            self.executor.executor.submit {
                state.value.delegate.onOpen = { continuation.resume() }
                state.value.connection = state.value.transport.openWatchStream(state.value.delegate)
            }
        }
        await self.executor.run {
            let stream = state.value.connection as? BrasaFirestore.WatchStream
            self.call.withLock { $0 = stream?.call }
        }
        for request in requests { await self.send(request) }
    }

    /// What has come for the executor while it is held.
    var undelivered: Int { self.call.withLock { $0?.undelivered ?? 0 } }

    func send(_ request: WatchRequest) async {
        let state = self.state
        await self.executor.run { state.value.connection?.send(request) }
    }

    /// What comes, up to and including the first such message.
    func messages(until isLast: (WatchMessage) -> Bool) async -> [WatchMessage] {
        var messages: [WatchMessage] = []
        for await message in self.incoming {
            messages.append(message)
            if isLast(message) { break }
        }
        return messages
    }

    func close() async {
        let state = self.state
        await self.executor.run { state.value.connection?.close() }
    }

    private final class Delegate: WatchStreamDelegate {
        var onOpen: (() -> Void)?
        private let arrived: AsyncStream<WatchMessage>.Continuation

        init(_ arrived: AsyncStream<WatchMessage>.Continuation) { self.arrived = arrived }

        func watchStreamOpened() { self.onOpen?() }
        func watchStreamReceived(_ message: WatchMessage) { self.arrived.yield(message) }
        func watchStreamClosed(_ error: SyncError?) {
            Issue.record("the stream ended: \(String(describing: error))")
            self.arrived.finish()
        }
    }
}

/// A write stream and what came over it.
final class WriteProbe: Sendable {
    private let executor = TestExecutor()
    private let state: NIOLoopBoundBox<State>
    private let incoming: AsyncStream<WriteMessage>

    /// Guarded by the executor.
    private struct State {
        var transport: StreamTransport
        var delegate: Delegate
        var connection: (any WriteConnection)?
    }

    init(_ client: TransportClient) {
        let (incoming, arrived) = AsyncStream.makeStream(of: WriteMessage.self, bufferingPolicy: .unbounded)
        self.incoming = incoming
        self.state = NIOLoopBoundBox.makeBoxSendingValue(
            State(
                transport: StreamTransport(client.caller, executor: self.executor.executor),
                delegate: Delegate(arrived)
            ),
            eventLoop: self.executor.executor.eventLoop
        )
    }

    /// Returns when the stream stands, or will not.
    func open() async {
        let state = self.state
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            self.executor.executor.submit {
                state.value.delegate.onOpen = { continuation.resume() }
                state.value.connection = state.value.transport.openWriteStream(state.value.delegate)
            }
        }
    }

    func send(_ request: BrasaSync.WriteRequest) async {
        let state = self.state
        await self.executor.run { state.value.connection?.send(request) }
    }

    /// Nil when the stream has ended.
    func next() async -> WriteMessage? {
        await self.incoming.first { _ in true }
    }

    /// How it ended.
    var error: SyncError? {
        get async {
            let state = self.state
            return try? await self.executor.executor.eventLoop.submit { state.value.delegate.error }.get()
        }
    }

    func close() async {
        let state = self.state
        await self.executor.run { state.value.connection?.close() }
    }

    private final class Delegate: WriteStreamDelegate {
        var onOpen: (() -> Void)?
        private(set) var error: SyncError?
        private let arrived: AsyncStream<WriteMessage>.Continuation

        init(_ arrived: AsyncStream<WriteMessage>.Continuation) { self.arrived = arrived }

        private func opened() {
            let onOpen = self.onOpen
            self.onOpen = nil
            onOpen?()
        }

        func writeStreamOpened() { self.opened() }
        func writeStreamReceived(_ message: WriteMessage) { self.arrived.yield(message) }
        func writeStreamClosed(_ error: SyncError?) {
            self.error = error
            self.arrived.finish()
            self.opened()
        }
    }
}

extension WatchRequest {
    static func add(
        _ id: WireTargetID,
        _ target: SyncTarget,
        resumption: Resumption? = nil,
        expectedCount: Int32? = nil,
        purpose: TargetData.Purpose = .listen
    ) -> WatchRequest {
        .add(
            AddTarget(
                id: id,
                target: target,
                resumption: resumption,
                expectedCount: expectedCount,
                purpose: purpose
            )
        )
    }
}

extension WatchMessage {
    var isGlobalSnapshot: Bool {
        if case .target(let message) = self { message.targets.isEmpty && message.readTime != nil } else { false }
    }

    var token: [UInt8]? {
        if case .target(let message) = self { message.resumeToken } else { nil }
    }

    func isTarget(_ kind: TargetMessage.Kind, _ id: WireTargetID) -> Bool {
        if case .target(let message) = self { message.kind == kind && message.targets == [id] } else { false }
    }

    /// That document, as new or changed.
    func isDocument(_ path: String, _ id: WireTargetID? = nil) -> Bool {
        guard case .document(let document, let targets, _) = self else { return false }
        return document.path.string == path && (id.map(targets.contains) ?? true)
    }

    /// That document, deleted or gone.
    func isEnd(_ path: String) -> Bool {
        switch self {
        case .delete(let ended, _, _), .remove(let ended, _): ended.string == path
        case .document, .target, .filter: false
        }
    }
}
