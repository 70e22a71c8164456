import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

enum ScriptedPage: Sendable {
    case body([UInt8])
    case status(Int)
    case redirection(String)
    /// Bytes for as long as they are taken.
    case endless
    case headOnly
    case nothing
}

/// An HTTPS server at localhost that answers as it is told.
struct ScriptedSite {
    private let channel: any Channel

    var port: Int { self.channel.localAddress?.port ?? 0 }

    static func roots() throws -> [NIOSSLCertificate] { try NIOSSLCertificate.fromPEMBytes(SiteCertificate.chain) }

    init(_ answer: @escaping @Sendable (String) -> ScriptedPage) async throws {
        let context = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: try Self.roots().map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: SiteCertificate.key, format: .pem))
            )
        )
        self.channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(PageHandler(answer))
                }
            }
            .bind(host: "localhost", port: 0).get()
    }

    func stop() async throws { try await self.channel.close() }
}

private final class PageHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let answer: @Sendable (String) -> ScriptedPage
    private var isEndless = false

    init(_ answer: @escaping @Sendable (String) -> ScriptedPage) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = self.unwrapInboundIn(data) else { return }
        switch self.answer(head.uri) {
        case .nothing: return
        case .status(let code): self.send(context, HTTPResponseStatus(statusCode: code), [:], [])
        case .redirection(let place): self.send(context, .found, ["location": place], [])
        case .body(let bytes): self.send(context, .ok, [:], bytes)
        case .headOnly: self.head(context, .ok, ["content-length": "10"])
        case .endless:
            self.head(context, .ok, ["transfer-encoding": "chunked"])
            self.isEndless = true
            self.more(context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.more(context)
    }

    private func more(_ context: ChannelHandlerContext) {
        while self.isEndless, context.channel.isWritable, context.channel.isActive {
            let bytes = context.channel.allocator.buffer(repeating: 7, count: 512)
            context.writeAndFlush(self.wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
        }
    }

    private func head(_ context: ChannelHandlerContext, _ status: HTTPResponseStatus, _ fields: HTTPHeaders) {
        context.writeAndFlush(
            self.wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: fields))),
            promise: nil
        )
    }

    private func send(
        _ context: ChannelHandlerContext,
        _ status: HTTPResponseStatus,
        _ fields: HTTPHeaders,
        _ body: [UInt8]
    ) {
        var fields = fields
        fields.add(name: "content-length", value: "\(body.count)")
        self.head(context, status, fields)
        context.write(self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
    }
}
