internal import BrasaApp
internal import BrasaBackoff
internal import BrasaClientNetwork
internal import BrasaGRPC
internal import BrasaHTTP2
internal import NIOCore

/// One address of the server and the connection to it. On the channel's event loop only.
final class Endpoint {
    let address: SocketAddress
    private let connector: Connector
    private let eventLoop: any EventLoop
    private let configuration: ChannelConfiguration
    /// The address's own: servers that complain are sent fewer PINGs.
    private var keepalive: HTTP2Keepalive?
    private var backoff: BackoffDelays
    private var attemptStart: NIODeadline
    private(set) var state = State.idle
    /// Told of every change of the state; nil once retired.
    private var onChange: ((Endpoint) -> Void)?
    /// Told of every connection that stands.
    private let onLink: (Link) -> Void
    private(set) var failure: ConnectError?

    enum State {
        /// May connect at once.
        case idle
        case connecting(ConnectAttempt)
        case ready(Link)
        /// Has failed, and lets some time pass.
        case waiting(Scheduled<Void>)
    }

    init(
        _ address: SocketAddress,
        connector: Connector,
        configuration: ChannelConfiguration,
        eventLoop: any EventLoop,
        onLink: @escaping (Link) -> Void,
        onChange: @escaping (Endpoint) -> Void
    ) {
        self.address = address
        self.connector = connector
        self.configuration = configuration
        self.eventLoop = eventLoop
        self.keepalive = configuration.keepalive
        self.backoff = BackoffDelays(configuration.backoff)
        self.attemptStart = eventLoop.now
        self.onLink = onLink
        self.onChange = onChange
    }

    var link: Link? { if case .ready(let link) = self.state { link } else { nil } }
    var isIdle: Bool { if case .idle = self.state { true } else { false } }
    var isConnecting: Bool { if case .connecting = self.state { true } else { false } }

    /// Calls want a connection; those that pace themselves do not wait for the backoff.
    func demand(isUrgent: Bool) {
        switch self.state {
        case .idle: self.connect()
        case .waiting(let timer) where isUrgent:
            timer.cancel()
            self.connect()
        case .connecting, .ready, .waiting: break
        }
    }

    private func connect() {
        guard self.onChange != nil else { return }
        self.attemptStart = self.eventLoop.now
        self.state = .connecting(
            self.connector.connect(to: self.address, keepalive: self.keepalive) { result in
                switch result {
                case .success(let link): self.adopt(link)
                case .failure(let error): self.fail(error)
                }
            }
        )
    }

    private func adopt(_ link: Link) {
        Firestore.log.debug("connected to \(self.address)")
        self.failure = nil
        self.state = .ready(link)
        // GOAWAY, or the connection's end, whichever comes first.
        link.grpc.http2.onDraining = { self.lost(link) }
        self.onLink(link)
        self.onChange?(self)
    }

    private func lost(_ link: Link) {
        guard case .ready(let current) = self.state, current === link else { return }
        if link.grpc.http2.wasAskedForFewerPings { self.keepalive = self.keepalive?.halved }
        if link.wasHealthy(after: self.configuration.healthyAfter) { self.backoff.reset() }
        self.pause()
    }

    private func fail(_ error: ConnectError) {
        Firestore.log.debug("cannot connect to \(self.address): \(error.description)")
        self.failure = error
        self.pause()
    }

    private func pause() {
        let isFirst = self.backoff.isReset
        let spent = Duration(self.eventLoop.now - self.attemptStart)
        let wait = self.backoff.next(spent: spent, chance: .random(in: 0..<1))
        // The first of several failures goes unseen. After others calls are told, also where the attempt took so long that
        // none of the wait is left: else they would wait for a server that never answers until their deadline.
        if isFirst {
            self.state = .idle
        } else {
            self.state = .waiting(
                self.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(wait)) {
                    self.state = .idle
                    self.onChange?(self)
                }
            )
        }
        self.onChange?(self)
    }

    /// The address is no longer the server's, or the channel ends.
    func retire(grace: TimeAmount) {
        self.onChange = nil
        switch self.state {
        case .idle: break
        case .connecting(let attempt): attempt.cancel()
        case .waiting(let timer): timer.cancel()
        case .ready(let link):
            link.grpc.http2.onDraining = nil
            link.retire(grace: grace)
        }
        self.state = .idle
    }
}

extension Duration {
    init(_ amount: TimeAmount) {
        self = .nanoseconds(amount.nanoseconds)
    }
}
