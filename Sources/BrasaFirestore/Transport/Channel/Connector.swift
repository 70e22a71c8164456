internal import BrasaClientNetwork
internal import BrasaGRPC
internal import BrasaHTTP2
internal import NIOCore
internal import NIOPosix
internal import NIOTLS

/// Why there is no connection to an address.
struct ConnectError: Error, CustomStringConvertible {
    let description: String
    /// Of the socket, or of TLS.
    let cause: (any Error)?
}

/// Makes connections.
struct Connector {
    private let configuration: ChannelConfiguration
    private let tls: TLSContext?
    private let eventLoop: any EventLoop

    init(_ configuration: ChannelConfiguration, eventLoop: any EventLoop) throws(TLSSettingsError) {
        self.configuration = configuration
        self.eventLoop = eventLoop
        switch configuration.security {
        case .plaintext: self.tls = nil
        case .tls(let settings): self.tls = try TLSContext(settings, host: configuration.server.host)
        }
    }

    /// `completion` is called once, later, on the event loop.
    func connect(
        to address: SocketAddress,
        keepalive: HTTP2Keepalive?,
        completion: @escaping (Result<Link, ConnectError>) -> Void
    ) -> ConnectAttempt {
        let attempt = ConnectAttempt(completion)
        let shared = NIOLoopBound(attempt, eventLoop: self.eventLoop)
        let configuration = self.configuration
        let http2 = configuration.http2(keepalive)
        let timeout = TimeAmount(configuration.connectTimeout)
        attempt.startTimer(timeout, on: self.eventLoop)
        ClientBootstrap.toServer(
            on: self.eventLoop,
            timeout: timeout,
            acknowledgementTimeout: http2.keepalive?.timeout,
            tls: self.tls
        ) { channel in
            try Self.prepare(channel, http2, configuration.grpc, shared.value)
        }
        .channelOption(.maxMessagesPerRead, value: 4)
        .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64 << 10))
        .connect(to: address).assumeIsolated()
        .whenComplete { result in
            switch result {
            case .success(let channel): attempt.connected(channel)
            case .failure(let error): attempt.fail("\(address): \(error)", error)
            }
        }
        return attempt
    }

    private static func prepare(
        _ channel: any Channel,
        _ http2: HTTP2ClientConfiguration,
        _ grpc: GRPCClientConfiguration,
        _ attempt: ConnectAttempt
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(ConnectWatcher(attempt))
        let connection = HTTP2Connection(role: .client(http2))
        let client = GRPCClientConnection(connection, eventLoop: channel.eventLoop, configuration: grpc)
        connection.onPeerReady = { attempt.peerIsReady(Link(client, channel: channel)) }
        try pipeline.addHandler(connection)
    }
}

/// One attempt, until the server speaks HTTP/2: only then does the connection count. On the event loop only.
final class ConnectAttempt {
    /// Nil once it was called.
    private var completion: ((Result<Link, ConnectError>) -> Void)?
    private var channel: (any Channel)?
    private var timer: Scheduled<Void>?
    /// The first thing that went wrong, which tells more than that the connection was closed.
    private var reason: (any Error)?
    private var hasFailed = false

    init(_ completion: @escaping (Result<Link, ConnectError>) -> Void) {
        self.completion = completion
    }

    func startTimer(_ timeout: TimeAmount, on eventLoop: any EventLoop) {
        self.timer = eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            self.fail("no answer in \(timeout.nanoseconds / 1_000_000) ms")
        }
    }

    func connected(_ channel: any Channel) {
        guard !self.hasFailed else { return channel.close(promise: nil) }
        self.channel = channel
        channel.closeFuture.assumeIsolated().whenComplete { _ in self.fail("the connection was closed") }
    }

    func note(_ error: any Error) {
        if self.reason == nil { self.reason = error }
    }

    func peerIsReady(_ link: Link) {
        self.end()?(.success(link))
    }

    func fail(_ text: String, _ error: (any Error)? = nil) {
        guard let completion = self.end() else { return }
        self.abort()
        let text = self.reason.map { "\($0)" } ?? text
        completion(.failure(ConnectError(description: text, cause: self.reason ?? error)))
    }

    /// Gives up; nobody is told.
    func cancel() {
        if self.end() != nil { self.abort() }
    }

    private func abort() {
        self.hasFailed = true
        self.channel?.close(promise: nil)
    }

    private func end() -> ((Result<Link, ConnectError>) -> Void)? {
        self.timer?.cancel()
        defer { self.completion = nil }
        return self.completion
    }
}

/// Stands before HTTP/2 and hears what goes wrong below it.
private final class ConnectWatcher: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    private let attempt: ConnectAttempt

    init(_ attempt: ConnectAttempt) {
        self.attempt = attempt
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent, negotiated != "h2" {
            self.attempt.fail("the server does not offer HTTP/2 over TLS")
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.attempt.note(error)
        context.fireErrorCaught(error)
    }
}
