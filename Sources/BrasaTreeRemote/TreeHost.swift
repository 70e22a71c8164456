package import BrasaClientNetwork
package import BrasaCredentials
package import BrasaTree
package import BrasaTreeLink
package import BrasaTreeSync
package import NIOCore

/// A client on its event loop: its sockets, timers and tokens, for callers on any thread.
///
/// Unchecked: everything but `run` and `end` happens on the event loop; other threads pass the reference on.
package final class TreeHost: @unchecked Sendable {
    /// What comes of calls and from the server, on the event loop.
    package typealias Handler = @Sendable (ClientOutput) -> Void

    /// What a host works with.
    package struct Configuration: Sendable {
        package var server: TreeServer
        package var token: String?
        package var tokenProvider: TokenProvider?
        /// Servers may not send the client to another host.
        package var isHostFixed = false
        package var resolver: any AddressResolver = SystemResolver()
        /// Milliseconds since 1970.
        package var clock: @Sendable () -> Int64
        /// Nil when nothing outlives the process. Of the host alone, on its event loop.
        package var storage: (any TreeStorage & Sendable)?

        package init(server: TreeServer, clock: @escaping @Sendable () -> Int64) {
            self.server = server
            self.clock = clock
        }
    }

    package let eventLoop: any EventLoop
    private let thread: EventLoopThread
    private var configuration: Configuration
    private let handler: Handler
    private let log: @Sendable (String) -> Void

    // Guarded by the event loop.
    private var client: TreeClient
    private var storage: (any TreeStorage & Sendable)?
    private var socket: TreeSocket?
    private var timer: Scheduled<Void>?
    private var timerDeadline: Duration?
    private var fetch: (number: Int, task: Task<Void, Never>)?
    private var hasEnded = false
    /// Of the steps that are being made, in order.
    private var outputs: [ClientOutput] = []
    private var isPerforming = false

    package init(
        _ configuration: Configuration,
        thread: EventLoopThread = EventLoopThread(),
        log: @escaping @Sendable (String) -> Void,
        handler: @escaping Handler
    ) {
        self.storage = configuration.storage
        self.configuration = configuration
        self.configuration.storage = nil
        self.thread = thread
        self.eventLoop = thread.eventLoop
        self.log = log
        self.handler = handler
        var link = LinkConfiguration(host: configuration.server.authority)
        link.isHostFixed = configuration.server.isEmulator || configuration.isHostFixed
        link.hasTokenProvider = configuration.tokenProvider != nil
        link.token = configuration.token
        self.client = TreeClient(link, isStored: configuration.storage != nil)
    }

    /// Does something with the host on its event loop, after all that was asked before.
    /// - Parameter ended: instead, after the end.
    package func run(
        _ work: @escaping @Sendable (TreeHost) -> Void,
        ended: @escaping @Sendable () -> Void = {}
    ) {
        self.eventLoop.execute { if self.hasEnded { ended() } else { work(self) } }
    }

    /// Nobody wants anything any more.
    /// - Parameter done: is called on the event loop, after the disk is closed.
    package func end(_ done: @escaping @Sendable () -> Void = {}) {
        self.eventLoop.execute {
            if !self.hasEnded {
                self.step { $0.goOffline($1) }
                self.timer?.cancel()
                self.fetch?.task.cancel()
                self.storage = nil
                self.hasEnded = true
            }
            done()
        }
    }

    package var moment: TreeMoment {
        TreeMoment(
            uptime: .nanoseconds(Int64(clamping: self.eventLoop.now.uptimeNanoseconds)),
            milliseconds: self.configuration.clock()
        )
    }

    /// Milliseconds since 1970, by the server's clock as far as that is known.
    package var serverTime: Int64 { self.configuration.clock() &+ self.client.serverTimeOffset }

    // MARK: What an earlier process has left

    /// The first step.
    package func restore() {
        guard let writes = self.storage?.queuedWrites(), !writes.isEmpty else { return }
        self.step { $0.restore(writes, $1) }
    }

    /// What the disk has for somebody who is going to listen, unless more is known.
    package func stored(_ query: TreeQuery, at path: TreePath) -> StoredNode? {
        guard let storage = self.storage, self.client.wantsStored(query, at: path) else { return nil }
        return storage.node(of: TreeTarget(path, query))
    }

    /// What the disk has for somebody whom the server does not answer, with the queued writes.
    package func shownFromStorage(_ query: TreeQuery, at path: TreePath) -> TreeNode? {
        self.storage?.node(of: TreeTarget(path, query)).map {
            self.client.shown(query, at: path, stored: $0.node)
        }
    }

    // MARK: Steps

    package func step(_ body: (inout TreeClient, TreeMoment) -> [ClientOutput]) {
        self.step({ ((), body(&$0, $1)) }, before: { _ in })
    }

    /// - Parameter note: is told what the step gives before anything that follows from it.
    package func step<Value>(
        _ body: (inout TreeClient, TreeMoment) -> (Value, [ClientOutput]),
        before note: (Value) -> Void
    ) {
        self.eventLoop.assertInEventLoop()
        let (value, outputs) = body(&self.client, self.moment)
        note(value)
        self.outputs += outputs
        self.perform()
    }

    /// What follows from a step that was made meanwhile follows after all of this one's.
    private func perform() {
        guard !self.isPerforming else { return }
        self.isPerforming = true
        var index = 0
        while index < self.outputs.count {
            let output = self.outputs[index]
            index += 1
            switch output {
            case .store(let changes): self.storage?.apply(changes)
            case .socket(let action): self.perform(action)
            case .event, .answered, .transactionEnded: self.handler(output)
            }
        }
        self.outputs = []
        self.isPerforming = false
        self.socket?.flush()
        self.schedule()
    }

    private func perform(_ action: SocketAction) {
        switch action {
        case .connect(let address, let number): self.connect(to: address, number)
        case .send(let frame): self.socket?.write(frame)
        case .disconnect:
            self.socket?.flush()
            self.socket?.close()
            self.socket = nil
        case .fetchToken(let isRefresh, let fetch): self.fetchToken(isRefresh: isRefresh, fetch)
        case .log(let line): self.log(line)
        }
    }

    private func connect(to address: LinkAddress, _ number: Int) {
        self.socket?.close()
        let socket = TreeSocket(eventLoop: self.eventLoop) { [weak self] event in
            guard let self else { return }
            switch event {
            case .frame(let frame): self.step { $0.receive(frame, socket: number, $1) }
            case .closed(let isUnauthorized, let reason):
                self.step { $0.closed(socket: number, isUnauthorized: isUnauthorized, reason: reason, $1) }
            }
        }
        self.socket = socket
        socket.connect(address, of: self.configuration.server, by: self.configuration.resolver)
    }

    private func fetchToken(isRefresh: Bool, _ fetch: Int) {
        guard let provider = self.configuration.tokenProvider else { return }
        self.fetch?.task.cancel()
        let task = Task { [weak self] in
            let result: Result<String?, LinkTokenError>
            do {
                result = .success(try await BearerToken.fetch(from: provider, isRefresh: isRefresh))
            } catch {
                result = .failure(LinkTokenError("\(error)"))
            }
            self?.run { host in
                if host.fetch?.number == fetch { host.fetch = nil }
                host.step { $0.tokenFetched(result, fetch: fetch, $1) }
            }
        }
        self.fetch = (fetch, task)
    }

    private func schedule() {
        let deadline = self.hasEnded ? nil : self.client.deadline
        guard deadline != self.timerDeadline else { return }
        self.timer?.cancel()
        self.timerDeadline = deadline
        guard let deadline else { return }
        let delay = TimeAmount(max(deadline - self.moment.uptime, .zero))
        self.timer = self.eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            guard let self else { return }
            self.timerDeadline = nil
            self.step { $0.tick($1) }
        }
    }
}

extension TreeServer {
    /// As it stands in `Host`: without a port that goes without saying.
    fileprivate var authority: String {
        let text = self.address.description
        guard self.address.port == self.defaultPort else { return text }
        return String(text.dropLast(":\(self.address.port)".count))
    }
}
