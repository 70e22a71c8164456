import BrasaClientNetwork
import BrasaGRPC
import BrasaHTTP2
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

@testable import BrasaFirestore

/// A gRPC server of this process whose answers a test decides, and whose connections it may end.
final class ScriptedServer: Sendable {
    typealias Unary = @Sendable (GRPCServerCall, ByteBuffer, any Channel) -> Void

    let channel: any Channel
    let connections: Connections

    struct Method: Sendable {
        let descriptor: GRPCMethodDescriptor
        let handler: Unary

        init(_ descriptor: GRPCMethodDescriptor, _ handler: @escaping Unary) {
            self.descriptor = descriptor
            self.handler = handler
        }
    }

    /// The connections that were accepted.
    final class Connections: Sendable {
        private let accepted = Mutex<[any Channel]>([])

        func add(_ channel: any Channel) { self.accepted.withLock { $0.append(channel) } }
        var all: [any Channel] { self.accepted.withLock { $0 } }
    }

    /// `handlers` are called on the connection's event loop.
    init(
        _ handlers: [Method],
        host: String = "127.0.0.1",
        port: Int = 0,
        tls: TLSConfiguration? = nil,
        streamsMax: Int = 100,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) async throws {
        let connections = Connections()
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        self.connections = connections
        self.channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                connections.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    var methods = GRPCMethodTable()
                    for method in handlers {
                        let handler = method.handler
                        methods.register(
                            method.descriptor,
                            .unary { call, message in handler(call, message, channel) }
                        )
                    }
                    let acceptor = GRPCServer(methods: methods, metadataKeys: ["authorization"])
                        .acceptor(on: channel.eventLoop)
                    let pipeline = channel.pipeline.syncOperations
                    if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                    var configuration = HTTP2ServerConfiguration()
                    configuration.limits.concurrentStreamsMax = streamsMax
                    try pipeline.addHandler(HTTP2Connection(role: .server(configuration, acceptor: acceptor)))
                }
            }
            .bind(host: host, port: port).get()
    }

    var port: Int { self.channel.localAddress?.port ?? 0 }

    func stop() async throws {
        try await self.channel.close()
        for connection in self.connections.all { try? await connection.close() }
    }
}

/// Counts, from any thread.
final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { self.count.withLock { $0 } }

    /// The new value.
    @discardableResult
    func increment() -> Int {
        self.count.withLock {
            $0 += 1
            return $0
        }
    }
}

/// Answers with a list that changes.
final class ChangingResolver: AddressResolver {
    private let addresses: Mutex<[SocketAddress]>

    init(_ addresses: [SocketAddress]) {
        self.addresses = Mutex(addresses)
    }

    func change(to addresses: [SocketAddress]) { self.addresses.withLock { $0 = addresses } }

    func resolve(_ server: ServerAddress, on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(self.addresses.withLock { $0 })
    }
}

/// Answers with a list of its own.
struct FixedResolver: AddressResolver {
    let addresses: [SocketAddress]

    func resolve(_ server: ServerAddress, on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(self.addresses)
    }
}
