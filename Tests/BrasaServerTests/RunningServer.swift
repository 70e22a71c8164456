import BrasaGRPC
import BrasaHTTP2
import BrasaLog
import BrasaMessages
import BrasaOptions
import BrasaPlatform
import BrasaService
import BrasaWire
import Logging
import NIOCore
import NIOPosix
import NIOSSL

@testable import BrasaServer

/// A whole server in this process: engine, listener and threads, as `brasa serve` has them, but for the signals.
final class RunningServer: Sendable {
    let engine: Engine
    let listener: Listener
    let group: MultiThreadedEventLoopGroup
    let services: ServiceDirectory
    let rules: ServerRules
    let tls: TLSDoor?
    let identity: IdentityWork
    private let work: Task<Void, Never>

    static func configuration(_ change: (inout ServerConfiguration) -> Void = { _ in }) -> ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.listen.port = 0
        configuration.dataDirectory = "unused"
        configuration.durability = .memory
        configuration.threads = 2
        configuration.logLevel = .critical
        configuration.grace = .seconds(5)
        change(&configuration)
        return configuration
    }

    init(
        _ configuration: ServerConfiguration = RunningServer.configuration(),
        logger: Logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    ) async throws {
        let address = try Listener.resolve(configuration)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.threads)
        let rules = try ServerRules.start(configuration, on: address, logger: logger)
        let engine = try Engine(
            configuration,
            treeRules: rules.trees,
            logger: logger,
            onFailure: { _ in }
        )
        self.engine = engine
        self.group = group
        self.rules = rules
        let identity = try await IdentityWork.start(
            configuration,
            on: address,
            rules: rules.book,
            treeRules: rules.trees,
            logger: logger
        )
        self.identity = identity
        self.work = Task { await identity.run() }
        self.services = try await ServiceDirectory(
            configuration,
            group: group,
            engine: engine,
            desk: identity.desk,
            rules: rules.book,
            logger: logger
        )
        let services = self.services
        self.tls = try BrasaServer.tls(configuration).map { tls in
            TLSDoor(
                tls,
                handshakes: HandshakePlaces(
                    connectionsMax: 1_000,
                    connectionsPerAddressMax: configuration.connectionsPerAddressMax
                ),
                refusals: services.refusals
            )
        }
        self.listener = try await Listener.bind(
            address,
            configuration,
            connectionsMax: 1_000,
            group: group,
            services: services,
            tls: self.tls
        )
    }

    var port: Int { self.listener.address.port }

    func stop(grace: Duration = .zero) async throws {
        await self.listener.drain(grace: grace)
        self.work.cancel()
        await self.work.value
        await self.identity.stop()
        self.engine.stop()
        try await self.group.shutdownGracefully()
    }

    // MARK: Clients

    /// A connection that speaks HTTP/2.
    func connect(_ tls: TLSConfiguration? = nil) async throws -> Client {
        let channel = try await ClientBootstrap(group: self.group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try Self.add(tls, to: channel)
                    try channel.pipeline.syncOperations.addHandler(
                        HTTP2Connection(role: .client(HTTP2ClientConfiguration()))
                    )
                }
            }
            .connect(host: "127.0.0.1", port: self.port).get()
        return Client(channel: channel)
    }

    private static func add(_ tls: TLSConfiguration?, to channel: any Channel) throws {
        guard let tls else { return }
        try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(context: NIOSSLContext(configuration: tls), serverHostname: "localhost")
        )
    }

    /// Sends bytes and returns what is answered until the server closes, or until `isEnough`.
    func exchange(
        _ text: String,
        _ tls: TLSConfiguration? = nil,
        until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }
    ) async throws -> String {
        let answer = self.group.next().makePromise(of: String.self)
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: self.group)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try Self.add(tls, to: channel)
                        try channel.pipeline.syncOperations.addHandler(Collector(text, answer, isEnough))
                    }
                }
                .connect(host: "127.0.0.1", port: self.port).get()
        } catch {
            answer.fail(error)
            throw error
        }
        let received = try await answer.futureResult.get()
        channel.close(promise: nil)
        return received
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let request: String
        private let answer: EventLoopPromise<String>
        private let isEnough: (String) -> Bool
        private var text = ""

        init(_ request: String, _ answer: EventLoopPromise<String>, _ isEnough: @escaping (String) -> Bool) {
            self.request = request
            self.answer = answer
            self.isEnough = isEnough
        }

        /// At once, on the loop: the server closes connections that say nothing for long, and tests may be slow.
        func channelActive(context: ChannelHandlerContext) {
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: self.request)), promise: nil)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.text += String(buffer: self.unwrapInboundIn(data))
            if self.isEnough(self.text) { self.answer.succeed(self.text) }
        }

        func channelInactive(context: ChannelHandlerContext) { self.answer.succeed(self.text) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

/// Calls over one connection, from any thread.
struct Client: Sendable {
    let channel: any Channel

    func unary<Response: Sendable>(
        _ call: @escaping @Sendable (FirestoreClientStub, @escaping (Result<Response, GRPCCallResult>) -> Void) -> Void
    ) async throws -> Response {
        try await self.start(call).get()
    }

    /// The answer to come.
    func start<Response: Sendable>(
        _ call: @escaping @Sendable (FirestoreClientStub, @escaping (Result<Response, GRPCCallResult>) -> Void) -> Void
    ) -> EventLoopFuture<Response> {
        self.onLoop { connection, promise in
            call(FirestoreClientStub(connection)) { promise.completeWith($0.mapError(\.status)) }
        }
    }

    /// All messages of a streaming call.
    func stream<Response: Sendable>(
        _ call:
            @escaping @Sendable (
                FirestoreClientStub, @escaping (Response) -> Void, @escaping (GRPCCallResult) -> Void
            ) -> Void
    ) async throws -> [Response] {
        try await self.onLoop { connection, promise in
            var messages: [Response] = []
            call(FirestoreClientStub(connection), { messages.append($0) }) { result in
                result.status.isOK ? promise.succeed(messages) : promise.fail(result.status)
            }
        }.get()
    }

    /// The serial number of the certificate that the server has shown, when there was an answer over it.
    func certificateNumber() async throws -> [UInt8]? {
        _ = try await self.raw(HealthMethods.check, [])
        let channel = self.channel
        return try await channel.eventLoop.submit {
            let handler = try channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
            return handler.peerCertificate?.serialNumber
        }.get()
    }

    /// The bytes that any unary method answers.
    func raw(_ method: GRPCMethodDescriptor, _ message: [UInt8]) async throws -> [UInt8] {
        try await self.onLoop { connection, promise in
            var buffer = connection.makeMessageBuffer(capacity: message.count)
            buffer.writeBytes(message)
            connection.unary(method, buffer) { result in
                promise.completeWith(result.map { Array($0.readableBytesView) }.mapError(\.status))
            }
        }.get()
    }

    private func onLoop<Response: Sendable>(
        _ body: @escaping @Sendable (GRPCClientConnection, EventLoopPromise<Response>) -> Void
    ) -> EventLoopFuture<Response> {
        let channel = self.channel
        return channel.eventLoop.flatSubmit {
            let promise = channel.eventLoop.makePromise(of: Response.self)
            do {
                let http2 = try channel.pipeline.syncOperations.handler(type: HTTP2Connection.self)
                let connection = GRPCClientConnection(
                    http2,
                    eventLoop: channel.eventLoop,
                    configuration: .init(authority: "test")
                )
                body(connection, promise)
            } catch {
                promise.fail(error)
            }
            return promise.futureResult
        }
    }
}
