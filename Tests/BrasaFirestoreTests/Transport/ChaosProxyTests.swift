import NIOCore
import NIOPosix
import Testing

/// What tests with broken connections may rely on: bytes are lost with their connection only.
@Suite struct ChaosProxyTests {
    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let pieces: AsyncStream<ByteBuffer>.Continuation

        init(_ pieces: AsyncStream<ByteBuffer>.Continuation) {
            self.pieces = pieces
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.pieces.yield(self.unwrapInboundIn(data))
        }
    }

    @Test func `What lies for a while stays in order, also where a loop has much to do`() async throws {
        let (pieces, arrived) = AsyncStream<ByteBuffer>.makeStream()
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(arrived))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let port = try #require(server.localAddress?.port)
        let mischief = ChaosProxy.Mischief(drops: 0, resets: 0, delays: 500)
        let proxy = try await ChaosProxy(to: port, seed: 1, mischief, group: group)
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: "127.0.0.1", port: proxy.port).get()
        let work = group.next().scheduleRepeatedTask(initialDelay: .zero, delay: .microseconds(100)) { _ in
            let end = NIODeadline.now() + .milliseconds(3)
            while .now() < end {}
        }
        let numbers = (0..<5_000).map { UInt32($0) }
        for number in numbers { try await client.writeAndFlush(ByteBuffer(integer: number)) }
        var bytes = ByteBuffer()
        for await piece in pieces {
            bytes.writeImmutableBuffer(piece)
            if bytes.readableBytes == 4 * numbers.count { break }
        }
        let isInOrder = numbers.allSatisfy { bytes.readInteger(as: UInt32.self) == $0 }
        #expect(isInOrder)
        work.cancel()
        try await client.close()
        try await proxy.stop()
        try await server.close()
        try await group.shutdownGracefully()
    }
}
