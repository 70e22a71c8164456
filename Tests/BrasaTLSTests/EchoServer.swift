import BrasaTLS
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// Says over TLS what it was told.
struct EchoServer {
    private let channel: any Channel

    var port: Int { self.channel.localAddress?.port ?? 0 }

    init(_ tls: ServerTLS) async throws {
        self.channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls.context))
                    try channel.pipeline.syncOperations.addHandler(EchoHandler())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    func stop() async throws { try await self.channel.close() }
}

private final class EchoHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.writeAndFlush(data, promise: nil) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// A connection whose handshake is done, and what that came to.
struct EchoClient {
    let channel: any Channel
    let negotiated: String?
    let version: TLSVersion?
    /// Of the server's certificate.
    let serial: [UInt8]
    private let heard: Heard

    /// - Throws: when the handshake fails, or the server hangs up at once.
    static func connect(_ port: Int, _ configuration: TLSConfiguration) async throws -> EchoClient {
        let context = try NIOSSLContext(configuration: configuration)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let heard = Heard(loop)
        let channel = try await ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
                    try channel.pipeline.syncOperations.addHandlers([handler, HeardHandler(heard)])
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let negotiated = try await heard.handshake.futureResult.get()
        let client = EchoClient(
            channel: channel,
            negotiated: negotiated,
            version: try await channel.nioSSL_tlsVersion().get(),
            serial: try await channel.nioSSL_peerCertificate().get()?.serialNumber ?? [],
            heard: heard
        )
        // With TLS 1.3 a client learns only now whether the server took its certificate.
        _ = try await client.echo("x")
        return client
    }

    /// One letter, there and back.
    func echo(_ letter: String) async throws -> String {
        try await self.channel.writeAndFlush(ByteBuffer(string: letter))
        return try await self.heard.next()
    }
}

/// What a connection was told. On its loop.
private final class Heard: Sendable {
    let handshake: EventLoopPromise<String?>
    private let stream: AsyncThrowingStream<String, any Error>
    private let continuation: AsyncThrowingStream<String, any Error>.Continuation

    init(_ loop: any EventLoop) {
        self.handshake = loop.makePromise()
        (self.stream, self.continuation) = AsyncThrowingStream.makeStream()
    }

    func hear(_ text: String) { self.continuation.yield(text) }

    func end(_ error: any Error) {
        self.handshake.fail(error)
        self.continuation.finish(throwing: error)
    }

    func next() async throws -> String {
        for try await text in self.stream { return text }
        throw ChannelError.eof
    }
}

private final class HeardHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let heard: Heard

    init(_ heard: Heard) { self.heard = heard }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated) = event as? TLSUserEvent {
            self.heard.handshake.succeed(negotiated)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.heard.hear(String(buffer: self.unwrapInboundIn(data)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.heard.end(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { self.heard.end(ChannelError.eof) }
}
