internal import BrasaBackoff
package import BrasaClientNetwork
package import BrasaGRPC
internal import BrasaHTTP2
internal import BrasaStatus
package import NIOCore

/// The way to a server: a connection to each of its addresses, made when calls want them and made again when they are
/// lost, and the calls that wait for one. Calls take turns over the connections.
///
/// Unchecked: everything but `close` happens on its event loop; other threads only pass the reference on.
package final class CallChannel: @unchecked Sendable {
    package let configuration: ChannelConfiguration
    package let eventLoop: any EventLoop
    private let owner: EventLoopThread?
    private let connector: Connector
    private let resolver: any AddressResolver
    /// Of calls that wait. Once sent, they have their connection's.
    let deadlines: DeadlineTimer

    // All state is guarded by the event loop.
    private var endpoints: [Endpoint] = []
    private var nextEndpoint = 0
    private var links: [ObjectIdentifier: Link] = [:]
    /// At most `configuration.waitingCallsMax`, oldest first, and at most about as many again that were cancelled.
    private var waiters = CircularBuffer<Waiter>()
    private var waiterCount = 0
    private var isServing = false
    private var isServeScheduled = false
    private var isResolving = false
    private var resolvedAt: NIODeadline?
    private var resolutionBackoff: BackoffDelays
    private var resolutionNotBefore = NIODeadline.uptimeNanoseconds(0)
    private var failure = ConnectError(description: "there is no connection", cause: nil)
    private var isClosed = false
    /// Told of every connection that stands; on the event loop.
    package var onConnected: (@Sendable () -> Void)?

    /// A call that waits for a connection.
    package final class Waiter {
        fileprivate var body: ((Result<Link, GRPCCallResult>) -> Void)?
        fileprivate let onCancel: () -> Void

        fileprivate init(
            _ body: @escaping (Result<Link, GRPCCallResult>) -> Void,
            onCancel: @escaping () -> Void
        ) {
            self.body = body
            self.onCancel = onCancel
        }

        package func cancel() {
            guard self.body != nil else { return }
            self.body = nil
            self.onCancel()
        }
    }

    package init(
        _ configuration: ChannelConfiguration,
        eventLoop: any EventLoop,
        keeping owner: EventLoopThread? = nil,
        resolver: any AddressResolver = SystemResolver()
    ) throws(TLSSettingsError) {
        self.owner = owner
        self.configuration = configuration
        self.eventLoop = eventLoop
        self.resolver = resolver
        self.deadlines = DeadlineTimer(eventLoop: eventLoop)
        self.connector = try Connector(configuration, eventLoop: eventLoop)
        self.resolutionBackoff = BackoffDelays(configuration.backoff)
    }

    // MARK: Calls

    /// Gives a connection with room for a call: at once where there is one, else as soon as there is. Fails when the server
    /// cannot be reached. An urgent call does not wait for the backoff, for it keeps one of its own.
    package func acquire(
        isUrgent: Bool,
        _ body: @escaping (Result<Link, GRPCCallResult>) -> Void
    ) -> Waiter? {
        self.eventLoop.preconditionInEventLoop()
        guard !self.isClosed else {
            body(.failure(GRPCCallResult(GRPCStatus(.cancelled, "The client was terminated"), isSafeToRepeat: false)))
            return nil
        }
        // Others first, if there are any.
        if self.waiterCount == 0, let link = self.pick() {
            self.wakeIdleEndpoints()
            body(.success(link))
            return nil
        }
        guard self.waiterCount < self.configuration.waitingCallsMax else {
            let status = GRPCStatus(.resourceExhausted, "Too many calls wait for a connection")
            body(.failure(GRPCCallResult(status, isSafeToRepeat: true)))
            return nil
        }
        let waiter = Waiter(body) { [weak self] in self?.waiterLeft() }
        self.waiters.append(waiter)
        self.waiterCount += 1
        self.demand(isUrgent: isUrgent)
        self.serve()
        return waiter
    }

    /// Another call has room. Later, for the stream ends within the connection's own work.
    private func streamClosed() {
        guard self.waiterCount > 0, !self.isServeScheduled else { return }
        self.isServeScheduled = true
        self.eventLoop.assumeIsolated().execute {
            self.isServeScheduled = false
            if self.waiterCount > 0 { self.serve() }
        }
    }

    private func pick() -> Link? {
        for offset in self.endpoints.indices {
            let index = (self.nextEndpoint + offset) % self.endpoints.count
            guard let link = self.endpoints[index].link, link.hasRoom else { continue }
            self.nextEndpoint = (index + 1) % self.endpoints.count
            return link
        }
        return nil
    }

    /// Hands connections to those who wait, or tells them that there will be none.
    private func serve() {
        // Whoever is served may call again.
        guard !self.isServing else { return }
        self.isServing = true
        while let waiter = self.waiters.first {
            guard waiter.body != nil else {
                self.waiters.removeFirst()
                continue
            }
            guard let link = self.pick() else { break }
            self.waiters.removeFirst()
            self.take(waiter)?(.success(link))
        }
        self.isServing = false
        guard self.waiterCount > 0, !self.isResolving, self.endpoints.allSatisfy({ !$0.isConnecting && $0.link == nil })
        else { return }
        let status = GRPCStatus(
            .unavailable,
            "The server \(self.configuration.server) cannot be reached: \(self.failure.description)"
        )
        self.failWaiters(GRPCCallResult(status, isSafeToRepeat: true, cause: self.failure.cause))
    }

    private func take(_ waiter: Waiter) -> ((Result<Link, GRPCCallResult>) -> Void)? {
        guard let body = waiter.body else { return nil }
        waiter.body = nil
        self.waiterCount -= 1
        return body
    }

    private func failWaiters(_ result: GRPCCallResult) {
        // Those who come back at once wait for the next round.
        let waiting = self.waiters
        self.waiters = CircularBuffer()
        for waiter in waiting { self.take(waiter)?(.failure(result)) }
    }

    /// Now and then the places of those who left are swept away, though somebody before them still waits.
    private func waiterLeft() {
        self.waiterCount -= 1
        if self.waiters.count > 2 * self.waiterCount + 64 { self.waiters.removeAll { $0.body == nil } }
    }

    /// With those who left.
    var waiterPlaces: Int { self.waiters.count }

    // MARK: Connections

    private func demand(isUrgent: Bool) {
        self.refreshAddresses(isUrgent: isUrgent)
        for endpoint in self.endpoints { endpoint.demand(isUrgent: isUrgent) }
    }

    private func refreshAddresses(isUrgent: Bool) {
        let now = self.eventLoop.now
        let isOld = self.resolvedAt.map { now - $0 >= TimeAmount(self.configuration.resolutionAgeMin) } ?? true
        if !self.isResolving, isOld, isUrgent || now >= self.resolutionNotBefore { self.resolve() }
    }

    /// So that lost connections come back while others do the work.
    private func wakeIdleEndpoints() {
        for endpoint in self.endpoints where endpoint.isIdle { endpoint.demand(isUrgent: false) }
    }

    private func endpointChanged(_ endpoint: Endpoint) {
        if let failure = endpoint.failure { self.failure = failure }
        // What was lost may be somewhere else by now, also while other addresses do the work.
        if endpoint.link == nil, !endpoint.isConnecting { self.refreshAddresses(isUrgent: false) }
        guard self.waiterCount > 0 else { return }
        if endpoint.isIdle { endpoint.demand(isUrgent: false) }
        self.serve()
    }

    private func resolve() {
        self.isResolving = true
        self.resolver.resolve(self.configuration.server, on: self.eventLoop).assumeIsolated().whenComplete { result in
            self.isResolving = false
            guard !self.isClosed else { return }
            switch result {
            case .success(let addresses):
                self.resolvedAt = self.eventLoop.now
                self.resolutionBackoff.reset()
                self.use(addresses)
            case .failure(let error):
                self.failure = ConnectError(description: "\(error)", cause: error)
                let wait = self.resolutionBackoff.next(spent: .zero, chance: .random(in: 0..<1))
                self.resolutionNotBefore = self.eventLoop.now + TimeAmount(wait)
            }
            self.serve()
        }
    }

    private func use(_ addresses: [SocketAddress]) {
        let wanted = addresses.prefix(self.configuration.addressesMax)
        for endpoint in self.endpoints where !wanted.contains(endpoint.address) {
            endpoint.retire(grace: Self.retirementGrace)
        }
        self.endpoints = wanted.map { address in
            self.endpoints.first { $0.address == address } ?? self.makeEndpoint(address)
        }
        self.nextEndpoint = 0
        if self.waiterCount > 0 { for endpoint in self.endpoints { endpoint.demand(isUrgent: false) } }
    }

    private static let retirementGrace = TimeAmount.minutes(5)

    private func makeEndpoint(_ address: SocketAddress) -> Endpoint {
        Endpoint(
            address,
            connector: self.connector,
            configuration: self.configuration,
            eventLoop: self.eventLoop,
            onLink: { [weak self] link in self?.track(link) },
            onChange: { [weak self] endpoint in self?.endpointChanged(endpoint) }
        )
    }

    private func track(_ link: Link) {
        self.links[ObjectIdentifier(link)] = link
        self.onConnected?()
        link.grpc.http2.onStreamClosed = { [weak self] in self?.streamClosed() }
        link.channel.closeFuture.assumeIsolated().whenComplete { [weak self] _ in
            self?.links[ObjectIdentifier(link)] = nil
        }
    }

    // MARK: The end

    /// Refuses new calls, gives those in flight some time, and returns when every connection is closed.
    package func close(grace: Duration = .seconds(2)) async {
        let channels = try? await self.eventLoop.submit { self.beginClosing(TimeAmount(grace)) }.get()
        for channel in channels ?? [] { try? await channel.closeFuture.get() }
    }

    private func beginClosing(_ grace: TimeAmount) -> [any Channel] {
        self.isClosed = true
        self.failWaiters(GRPCCallResult(GRPCStatus(.cancelled, "The client was terminated")))
        let links = Array(self.links.values)
        for endpoint in self.endpoints { endpoint.retire(grace: grace) }
        for link in links { link.retire(grace: grace) }
        self.endpoints = []
        return links.map(\.channel)
    }
}
