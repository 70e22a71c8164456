internal import BrasaApp
internal import BrasaClientNetwork
internal import BrasaTree
internal import BrasaTreeLink
internal import BrasaTreeRemote
internal import BrasaTreeSync
internal import Dispatch
internal import NIOCore
internal import Synchronization

/// What a `Database` works with once it is used: its client on an event loop of its own, and who waits for what.
final class DatabaseCore: Sendable {
    /// Where users' handlers are called.
    private let queue: DispatchQueue
    private let host: TreeHost
    private let desk: NIOLoopBoundBox<Desk>
    /// How far the server's clock is ahead, in milliseconds.
    private let offset: ClockOffset

    final class ClockOffset: Sendable {
        let milliseconds = Atomic<Int64>(0)
    }

    /// Who waits for what. On the event loop only.
    final class Desk {
        var calls: [TreeCall: (TreeAnswer) -> Void] = [:]
        var transactions: [TreeTransactionID: (TransactionEnd.Outcome) -> Void] = [:]
        var observers: [TreeListener: Observer] = [:]
        var listeners: [DatabaseHandle: TreeListener] = [:]
        var clockListener: TreeListener?
        /// Of what observers were told.
        var lastDelivery = 0
        /// An observer has gone, by itself.
        var onEnd: (Observer) -> Void = { _ in }
    }

    /// `isOffline`: it connects only when it is told to.
    init(
        _ configuration: TreeHost.Configuration,
        queue: DispatchQueue,
        isOffline: Bool,
        onObserverEnd: @escaping @Sendable (Observer) -> Void
    ) {
        self.queue = queue
        let offset = ClockOffset()
        self.offset = offset
        let thread = EventLoopThread()
        let desk = NIOLoopBoundBox.makeBoxSendingValue(Desk(), eventLoop: thread.eventLoop)
        self.desk = desk
        let host = TreeHost(configuration, thread: thread, log: { Database.log.debug($0) }) { output in
            desk.value.take(output, offset, queue)
        }
        self.host = host
        host.run { host in
            desk.value.onEnd = { observer in
                onObserverEnd(observer)
                if let listener = desk.value.listeners.removeValue(forKey: observer.handle) {
                    desk.value.observers[listener] = nil
                    host.step { $0.unlisten(listener, $1) }
                }
            }
            let clock = try? TreePath("serverTimeOffset")
            host.restore()
            host.step({ $0.listen(.all, at: clock ?? .root, of: .info, $1) }, before: { desk.value.clockListener = $0 })
            host.step { isOffline ? $0.goOffline($1) : $0.goOnline($1) }
        }
    }

    deinit {
        // The desk and the host hold each other by it.
        self.run { _, desk in desk.onEnd = { _ in } }
        self.host.end()
    }

    /// Milliseconds that the server's clock is ahead, as far as that is known.
    var serverTimeOffset: Int64 { self.offset.milliseconds.load(ordering: .relaxed) }

    /// - Parameter ended: instead, after the end.
    private func run(
        _ work: @escaping @Sendable (TreeHost, Desk) -> Void,
        ended: @escaping @Sendable () -> Void = {}
    ) {
        let desk = self.desk
        self.host.run({ host in work(host, desk.value) }, ended: ended)
    }

    // MARK: What users ask for

    func goOnline() { self.run { host, _ in host.step { $0.goOnline($1) } } }

    func goOffline() { self.run { host, _ in host.step { $0.goOffline($1) } } }

    func changeToken() { self.run { host, _ in host.step { $0.changeToken($1) } } }

    /// Closes the connection and the disk. Who waits for the server waits no more.
    func end() async {
        let (desk, queue) = (self.desk, self.queue)
        await withCheckedContinuation { continuation in
            self.host.end {
                desk.value.giveUp(queue)
                continuation.resume()
            }
        }
    }

    func purge() { self.run { host, _ in host.step { $0.purge($1) } } }

    func write(_ write: TreeWrite, _ done: @escaping @Sendable (DatabaseFault?) -> Void) {
        self.run { host, desk in
            host.step(
                { $0.write(write, $1) },
                before: { call in desk.calls[call] = { done($0.fault) } }
            )
        } ended: {
            done(TreeAnswer.offline.fault)
        }
    }

    func onDisconnect(_ request: DisconnectRequest, _ done: @escaping @Sendable (DatabaseFault?) -> Void) {
        self.run { host, desk in
            host.step(
                { $0.onDisconnect(request, $1) },
                before: { call in desk.calls[call] = { done($0.fault) } }
            )
        } ended: {
            done(TreeAnswer.offline.fault)
        }
    }

    func transact(
        at path: TreePath,
        isShown: Bool,
        _ update: @escaping TransactionUpdate,
        _ done: @escaping @Sendable (TransactionEnd.Outcome) -> Void
    ) {
        self.run { host, desk in
            let stored = host.stored(.all, at: path)
            host.step(
                { $0.transact(at: path, isShown: isShown, stored: stored, $1, update) },
                before: { desk.transactions[$0] = done }
            )
        } ended: {
            done(.failed(status: TransactionEnd.disconnected))
        }
    }

    func get(
        _ query: TreeQuery,
        at path: TreePath,
        of source: TreeListener.Source,
        _ done: @escaping @Sendable (TreeAnswer) -> Void
    ) {
        self.run { host, desk in
            let answer = { [unowned host] (answer: TreeAnswer) in
                // Whom the server does not answer, or refuses, has what it has said before.
                if case .node = answer { return done(answer) }
                guard source == .database, let node = host.shownFromStorage(query, at: path) else {
                    return done(answer)
                }
                done(.node(node))
            }
            host.step({ $0.get(query, at: path, of: source, $1) }, before: { desk.calls[$0] = answer })
        } ended: {
            done(.offline)
        }
    }

    func observe(_ query: TreeQuery, at path: TreePath, of source: TreeListener.Source, _ observer: Observer) {
        self.run { host, desk in
            let stored = source == .database ? host.stored(query, at: path) : nil
            host.step(
                { $0.listen(query, at: path, of: source, stored: stored, $1) },
                before: { listener in
                    desk.observers[listener] = observer
                    desk.listeners[observer.handle] = listener
                }
            )
        } ended: { [queue] in
            observer.deliver(DatabaseFault(status: "disconnect"), on: queue)
        }
    }

    func remove(_ observer: Observer) {
        self.run { host, desk in
            guard let listener = desk.listeners.removeValue(forKey: observer.handle) else { return }
            desk.observers[listener] = nil
            host.step { $0.unlisten(listener, $1) }
        }
    }

    func keepSynced(_ isKept: Bool, _ query: TreeQuery, at path: TreePath) {
        self.run { host, _ in
            let stored = isKept ? host.stored(query, at: path) : nil
            host.step { $0.keepSynced(isKept, query, at: path, stored: stored, $1) }
        }
    }
}

extension DatabaseCore.Desk {
    fileprivate func giveUp(_ queue: DispatchQueue) {
        let (calls, transactions, observers) = (self.calls, self.transactions, self.observers.values)
        (self.calls, self.transactions) = ([:], [:])
        for observer in observers {
            self.onEnd(observer)
            observer.deliver(DatabaseFault(status: "disconnect"), on: queue, isAskedFor: true)
        }
        // The desk and the host hold each other by it.
        self.onEnd = { _ in }
        for call in calls.values { call(.offline) }
        for end in transactions.values { end(.failed(status: TransactionEnd.disconnected)) }
    }

    fileprivate func take(_ output: ClientOutput, _ offset: DatabaseCore.ClockOffset, _ queue: DispatchQueue) {
        switch output {
        case .socket, .store: break
        case .answered(let call, let answer):
            if let done = self.calls.removeValue(forKey: call) {
                done(answer)
            } else if let fault = answer.fault {
                Database.log.notice("a write of an earlier process failed: \(fault.message)")
            }
        case .transactionEnded(let end): self.transactions.removeValue(forKey: end.id)?(end.outcome)
        case .event(let event, let source):
            for id in event.listeners { self.take(event, TreeListener(source, id), offset, queue) }
        }
    }

    private func take(
        _ event: TreeSyncEvent,
        _ listener: TreeListener,
        _ offset: DatabaseCore.ClockOffset,
        _ queue: DispatchQueue
    ) {
        if listener == self.clockListener, case .value(let node) = event.kind, case .integer(let value)? = node.scalar {
            return offset.milliseconds.store(value, ordering: .relaxed)
        }
        guard let observer = self.observers[listener] else { return }
        if case .refused(let status) = event.kind {
            self.onEnd(observer)
            return observer.deliver(DatabaseFault(status: status), on: queue)
        }
        guard let told = observer.snapshot(of: event) else { return }
        if observer.isSingle { self.onEnd(observer) }
        self.lastDelivery += 1
        observer.deliver(told.snapshot, told.previous, on: queue, number: self.lastDelivery)
    }
}

extension TreeAnswer {
    /// Why something was not done.
    fileprivate var fault: DatabaseFault? {
        switch self {
        case .done, .node: nil
        case .refused(let status, let message): DatabaseFault(status: status, message: message)
        case .offline: DatabaseFault(status: "disconnect")
        }
    }
}
