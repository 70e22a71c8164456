import BrasaHTTP
import BrasaHTTP2
import BrasaIdentity
import BrasaOptions
import NIOCore
import NIOPosix

/// The address that `--metrics-address` names: metrics and probes, and nothing else, over HTTP/1.1 in plain text, for whoever
/// reaches it. It listens before the data folder is opened, and until the server has drained.
final class ObservationListener: Sendable {
    /// Room for this many connections; more are closed.
    private static let connectionsMax = 64
    /// For this many of one address, so that no one keeps probes from the others.
    static let connectionsPerAddressMax = 16

    private let channel: any Channel

    private init(_ channel: any Channel) {
        self.channel = channel
    }

    var address: ListenAddress {
        let address = self.channel.localAddress
        return ListenAddress(host: address?.ipAddress ?? "?", port: address?.port ?? 0)
    }

    /// - Throws: `StartError` when the address is taken or not known.
    static func bind(
        _ address: ListenAddress,
        _ observation: Observation,
        group: MultiThreadedEventLoopGroup
    ) async throws -> ObservationListener {
        let door = HTTPDoor(Self.router(observation), .open)
        let budget = ByteBudget(bytesMax: Self.connectionsMax * PlainConnection.keptBytes)
        let refusals = ConnectionRefusals { _ in }
        let connections = ConnectionRegistry(
            countMax: Self.connectionsMax,
            countPerAddressMax: Self.connectionsPerAddressMax,
            budget: budget,
            refusals: refusals
        )
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: PlainConnection.readBytes)
            )
            .childChannelInitializer { channel in
                guard let budget = connections.add(channel) else { return channel.close() }
                return channel.eventLoop.makeCompletedFuture {
                    try PlainConnection.configure(channel, budget: budget, refusals: refusals, door: door)
                }
            }
        do {
            return ObservationListener(try await bootstrap.bind(host: address.host, port: address.port).get())
        } catch let error as IOError {
            throw StartError("cannot listen on \(address) for metrics: \(SystemErrorText.of(error.errnoCode))")
        } catch {
            throw StartError("cannot listen on \(address) for metrics: \(error)")
        }
    }

    private static func router(_ observation: Observation) -> HTTPRouter {
        var router = HTTPRouter()
        observation.addProbes(to: &router)
        router.get("/metrics", for: .everybody) { observation.metrics }
        return router
    }

    func close() async {
        try? await self.channel.close().get()
    }
}
