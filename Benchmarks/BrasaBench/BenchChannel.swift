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
            return try await ClientBootstrap(group: group)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelOption(.maxMessagesPerRead, value: 4)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64 << 10))
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
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
        } catch let error as NIOConnectionError {
            // One of the addresses' errors is enough.
            let reason = error.connectionErrors.first.map { "\($0.error)" } ?? "the host is not known"
            throw BenchError("cannot connect to \(host):\(port): \(reason)")
        } catch {
            throw BenchError("cannot connect to \(host):\(port): \(error)")
        }
    }
}
