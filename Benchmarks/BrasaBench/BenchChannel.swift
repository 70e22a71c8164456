import BrasaClientNetwork
import BrasaGRPC
import BrasaHTTP2
import NIOCore
import NIOPosix

/// Opens connections that carry calls.
enum BenchChannel {
    /// `make` runs on the connection's event loop.
    static func open<Made: Sendable>(
        host: String,
        port: Int,
        security: ChannelSecurity = .plaintext,
        group: any EventLoopGroup,
        streamWindowBytes: Int,
        connectionWindowBytes: Int = 4 << 20,
        make: @escaping @Sendable (GRPCClientConnection, any Channel) -> Made
    ) async throws -> Made {
        var configuration = HTTP2ClientConfiguration()
        configuration.limits.streamWindowBytes = streamWindowBytes
        configuration.limits.connectionWindowBytes = connectionWindowBytes
        let http2 = configuration
        do {
            let encryption: TLSContext? =
                switch security {
                case .plaintext: nil
                case .tls(let settings): try TLSContext(settings, host: host)
                }
            return try await ClientBootstrap(group: group)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelOption(.maxMessagesPerRead, value: 4)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64 << 10))
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try encryption?.addHandler(to: channel)
                        let connection = HTTP2Connection(role: .client(http2))
                        try channel.pipeline.syncOperations.addHandler(connection)
                        let grpc = GRPCClientConnection(
                            connection,
                            eventLoop: channel.eventLoop,
                            configuration: GRPCClientConfiguration(authority: "\(host):\(port)")
                        )
                        return make(grpc, channel)
                    }
                }
        } catch {
            throw BenchError(cannotConnectTo: host, port, error)
        }
    }
}

extension BenchError {
    init(cannotConnectTo host: String, _ port: Int, _ error: any Error) {
        var reason = "\(error)"
        if let error = error as? NIOConnectionError {
            // One of the addresses' errors is enough.
            reason = error.connectionErrors.first.map { "\($0.error)" } ?? "the host is not known"
        }
        self.init("cannot connect to \(host):\(port): \(reason)")
    }
}
