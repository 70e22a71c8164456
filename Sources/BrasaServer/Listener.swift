import BrasaHTTP2
import BrasaOptions
import NIOCore
import NIOPosix

/// The port: accepts connections and lets each find its protocol.
final class Listener: Sendable {
    /// How long a peer may take to send the bytes that tell its protocol, TLS handshake included.
    static let sniffTimeLimit: TimeAmount = .seconds(10)
    /// Of HTTP/2.
    private static let readBytes = 64 << 10
    private static let readsPerTurn: UInt = 4

    private let channel: any Channel
    private let connections: ConnectionRegistry

    private init(channel: any Channel, connections: ConnectionRegistry) {
        self.channel = channel
        self.connections = connections
    }

    /// Where it really listens, with the port that the system picked.
    var address: ListenAddress {
        let address = self.channel.localAddress
        return ListenAddress(host: address?.ipAddress ?? "?", port: address?.port ?? 0)
    }

    /// Of connections that begin from now on.
    func setBounds(connectionsMax: Int, connectionsPerAddressMax: Int) {
        self.connections.setBounds(countMax: connectionsMax, countPerAddressMax: connectionsPerAddressMax)
    }

    /// - Throws: `StartError` when the address is taken or may not be used.
    static func bind(
        _ address: SocketAddress,
        _ configuration: ServerConfiguration,
        connectionsMax: Int,
        group: MultiThreadedEventLoopGroup,
        services: ServiceDirectory,
        tls: TLSDoor? = nil
    ) async throws -> Listener {
        let connections = ConnectionRegistry(
            countMax: connectionsMax,
            countPerAddressMax: configuration.connectionsPerAddressMax,
            budget: services.budget,
            refusals: services.refusals,
            count: services.connectionCount
        )
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Until a connection turns out to be of HTTP/2.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: PlainConnection.readBytes)
            )
            .childChannelInitializer { channel in
                guard let budget = connections.add(channel) else { return channel.close() }
                return channel.eventLoop.makeCompletedFuture {
                    try tls?.configure(channel, budget: budget)
                    try channel.pipeline.syncOperations.addHandler(
                        ProtocolSniffer(timeLimit: Self.sniffTimeLimit) { verdict, channel in
                            try Self.configure(channel, for: verdict, services: services, budget: budget, tls: tls)
                        }
                    )
                }
            }
        do {
            return Listener(channel: try await bootstrap.bind(to: address).get(), connections: connections)
        } catch let error as IOError {
            throw StartError("cannot listen on \(configuration.listen): \(SystemErrorText.of(error.errnoCode))")
        } catch {
            throw StartError("cannot listen on \(configuration.listen): \(error)")
        }
    }

    /// - Throws: `StartError` when the host is not known, or beyond loopback without leave.
    static func resolve(_ configuration: ServerConfiguration) throws -> SocketAddress {
        let listen = configuration.listen
        guard let address = try? SocketAddress.makeAddressResolvingHost(listen.host, port: listen.port) else {
            throw StartError("cannot listen on \(listen): the host \"\(listen.host)\" is not known")
        }
        guard address.isLoopback || configuration.insecure || configuration.tlsCertificate != nil else {
            throw StartError(
                """
                refusing to listen on \(listen): it reaches beyond loopback in plain text; serve TLS with \
                --tls-certificate FILE and --tls-key FILE, or say with --insecure that the network around it is trusted
                """
            )
        }
        return address
    }

    private static func configure(
        _ channel: any Channel,
        for verdict: ProtocolSniffer.Verdict,
        services: ServiceDirectory,
        budget: ByteBudget,
        tls: TLSDoor?
    ) throws {
        let doors = services.doors(on: channel.eventLoop)
        let visitor = Visitor(channel, showsCertificates: tls?.asksForCertificates ?? false)
        switch verdict {
        case .http2:
            var configuration = HTTP2ServerConfiguration()
            configuration.budget = budget
            configuration.limits.unreadTimeMax = services.receiveTimeMax
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: Self.readsPerTurn)
            try channel.syncOptions?.setOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: Self.readBytes)
            )
            let connection = HTTP2Connection(
                role: .server(configuration, acceptor: doors.acceptor(on: channel, for: visitor))
            )
            let (log, peer) = (services.connectionLog, channel.remoteAddress)
            connection.onEnd = { log.ended($0, peer: peer) }
            try channel.pipeline.syncOperations.addHandler(connection)
        case .http1, .undecided:
            let (door, upgrader) = doors.plain(on: channel.eventLoop, for: visitor, budget: budget)
            try PlainConnection.configure(
                channel,
                budget: budget,
                refusals: services.refusals,
                door: door,
                upgrader: upgrader,
                isOverTLS: tls != nil
            )
        }
    }

    /// Accepts nothing new, lets calls in flight finish, and returns when every connection is closed.
    func drain(grace: Duration) async {
        try? await self.channel.close().get()
        await self.connections.drain(grace: .init(grace))
    }
}

extension SocketAddress {
    var isLoopback: Bool {
        switch self {
        case .v4: self.ipAddress?.hasPrefix("127.") ?? false
        case .v6: self.ipAddress == "::1"
        case .unixDomainSocket: true
        }
    }
}
