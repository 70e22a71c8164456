import BrasaHTTP2
import NIOCore
import NIOPosix
import Testing

@testable import BrasaGRPC

/// The same over real sockets, with a service that answers from another thread.
@Suite struct SocketTests {
    private static let slow = GRPCMethodDescriptor(service: "test.Socket", method: "Elsewhere", kind: .unary)

    @Test(arguments: [(calls: 500, bytes: 10), (calls: 20, bytes: 300_000)])
    func `Calls are answered, even from another thread`(_ load: (calls: Int, bytes: Int)) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 3)
        let elsewhere = group.next()
        var methods = GRPCMethodTable()
        methods.register(
            Self.slow,
            .unary { call, message in
                let answer = ByteBuffer(bytes: message.readableBytesView)
                elsewhere.execute {
                    call.eventLoop.execute { call.respond(answer) }
                }
            }
        )
        let server = GRPCServer(methods: methods)
        let listener = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let acceptor = server.acceptor(on: channel.eventLoop)
                    try channel.pipeline.syncOperations.addHandler(
                        HTTP2Connection(role: .server(HTTP2ServerConfiguration(), acceptor: acceptor))
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(listener.localAddress)
        let client = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        HTTP2Connection(role: .client(HTTP2ClientConfiguration()))
                    )
                }
            }
            .connect(to: address).get()
        let message = (0..<load.bytes).map { UInt8(truncatingIfNeeded: $0 / 3) }
        let answers = try await client.eventLoop.flatSubmit {
            do {
                let http2 = try client.pipeline.syncOperations.handler(type: HTTP2Connection.self)
                let grpc = GRPCClientConnection(
                    http2,
                    eventLoop: client.eventLoop,
                    configuration: GRPCClientConfiguration(authority: "test")
                )
                let futures = (0..<load.calls).map { _ in
                    grpc.unary(Self.slow, ByteBuffer(bytes: message), timeout: .seconds(60))
                }
                return EventLoopFuture.whenAllSucceed(futures, on: client.eventLoop)
            } catch {
                return client.eventLoop.makeFailedFuture(error)
            }
        }.get()
        #expect(answers.count == load.calls)
        let expected = ByteBuffer(bytes: message)
        #expect(answers.allSatisfy { $0 == expected })
        try await client.close()
        try await listener.close()
        try await group.shutdownGracefully()
    }
}
