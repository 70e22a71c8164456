internal import BrasaBytes
internal import BrasaClientNetwork
internal import BrasaTreeLink
internal import BrasaTreeWire
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket

/// One connection to a server, from its first look for an address to its end. On its event loop only.
final class TreeSocket {
    enum Event {
        case frame([UInt8])
        /// Nothing follows.
        case closed(isUnauthorized: Bool, reason: String)
    }

    /// Addresses of one name that are tried, one after the other.
    private static let addressesMax = 8
    /// For one of them.
    private static let connectTimeout = TimeAmount.seconds(10)
    /// What the server sends as one frame: it cuts messages itself.
    static let frameBytesMax = 16 << 20
    static let piecesMax = 1_024
    /// For how long what was sent may wait to be acknowledged.
    private static let acknowledgementTimeout = TimeAmount.seconds(20)

    private let eventLoop: any EventLoop
    /// Nil after the end.
    private var onEvent: ((Event) -> Void)?
    private var channel: (any Channel)?
    private var tls: TLSContext?
    private var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
    /// The first thing that went wrong, which tells more than that the connection was closed.
    private var fault: String?

    init(eventLoop: any EventLoop, onEvent: @escaping (Event) -> Void) {
        self.eventLoop = eventLoop
        self.onEvent = onEvent
    }

    func connect(_ address: LinkAddress, of server: TreeServer, by resolver: any AddressResolver) {
        guard let host = ServerAddress(address.host, defaultPort: server.defaultPort) else {
            return self.end("\(address.host) is no address")
        }
        if case .tls(let settings) = server.security {
            do throws(TLSSettingsError) {
                self.tls = try TLSContext(settings, host: host.host, protocols: ["http/1.1"])
            } catch {
                return self.end(error.description)
            }
        }
        self.head = Self.head(address, of: server)
        resolver.resolve(host, on: self.eventLoop).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let addresses): self.connect(to: addresses.prefix(Self.addressesMax))
            case .failure(let error): self.end("\(error)")
            }
        }
    }

    private static func head(_ address: LinkAddress, of server: TreeServer) -> HTTPRequestHead {
        var uri = "/.ws?v=\(TreeHandshake.version)&ns=\(Self.encoded(server.name))"
        if let session = address.lastSession { uri += "&ls=\(Self.encoded(session))" }
        var headers: HTTPHeaders = ["host": address.host, "user-agent": "brasa-swift"]
        // A server that lets nobody in whom it does not know has to know it now.
        if let token = address.token { headers.add(name: "authorization", value: "Bearer \(token)") }
        return HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: headers)
    }

    private static func encoded(_ text: String) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            let isPlain =
                byte < 0x80 && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber)
            if isPlain || byte == UInt8(ascii: "-") {
                encoded.append(byte)
            } else {
                PercentEncoding.append(byte, to: &encoded)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private func connect(to addresses: ArraySlice<SocketAddress>) {
        guard self.onEvent != nil else { return }
        guard let address = addresses.first else { return self.end(self.fault ?? "no address") }
        let shared = NIOLoopBound(self, eventLoop: self.eventLoop)
        ClientBootstrap.toServer(
            on: self.eventLoop,
            timeout: Self.connectTimeout,
            acknowledgementTimeout: Self.acknowledgementTimeout,
            tls: self.tls
        ) { channel in
            try shared.value.prepare(channel)
        }
        .connect(to: address).assumeIsolated()
        .whenComplete { result in
            switch result {
            case .success(let channel): self.connected(channel)
            case .failure(let error):
                self.note("\(address): \(error)")
                self.connect(to: addresses.dropFirst())
            }
        }
    }

    private func prepare(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let request = UpgradeRequestHandler(self.head, self)
        let shared = NIOLoopBound((socket: self, request: request), eventLoop: channel.eventLoop)
        let upgrader = NIOWebSocketClientUpgrader(maxFrameSize: Self.frameBytesMax) { channel, _ in
            channel.eventLoop.makeCompletedFuture { try shared.value.socket.open(channel) }
        }
        let upgrade: NIOHTTPClientUpgradeConfiguration = (
            upgraders: [upgrader],
            completionHandler: { context in
                context.pipeline.syncOperations.removeHandler(shared.value.request, promise: nil)
            }
        )
        // The server's first frame may come with its answer.
        try pipeline.addHTTPClientHandlers(leftOverBytesStrategy: .forwardBytes, withClientUpgrade: upgrade)
        try pipeline.addHandler(request)
    }

    private func open(_ channel: any Channel) throws {
        let pieces = NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0,
            maxAccumulatedFrameCount: Self.piecesMax,
            maxAccumulatedFrameSize: Self.frameBytesMax
        )
        try channel.pipeline.syncOperations.addHandlers([pieces, FrameHandler(self)])
    }

    private func connected(_ channel: any Channel) {
        guard self.onEvent != nil else { return channel.close(promise: nil) }
        self.channel = channel
        channel.closeFuture.assumeIsolated().whenComplete { _ in self.end("it was closed") }
    }

    // MARK: What the handlers say

    func note(_ fault: String) {
        if self.fault == nil { self.fault = fault }
    }

    func received(_ frame: [UInt8]) { self.onEvent?(.frame(frame)) }

    /// The server answers, but not as one of this protocol.
    func refused(_ status: HTTPResponseStatus) {
        let isUnauthorized = status == .unauthorized || status == .forbidden
        self.end("the server answers \(status.code)", isUnauthorized: isUnauthorized)
    }

    private func end(_ reason: String, isUnauthorized: Bool = false) {
        guard let onEvent = self.onEvent else { return }
        self.close()
        onEvent(.closed(isUnauthorized: isUnauthorized, reason: self.fault ?? reason))
    }

    // MARK: For whoever drives it

    /// A text frame, which leaves with the next flush.
    func write(_ frame: [UInt8]) {
        guard let channel = self.channel, self.onEvent != nil else { return }
        let data = channel.allocator.buffer(bytes: frame)
        // Clients mask what they send (RFC 6455, 5.3).
        channel.write(WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: data), promise: nil)
    }

    func flush() { self.channel?.flush() }

    /// Nothing is told any more.
    func close() {
        self.onEvent = nil
        self.channel?.close(promise: nil)
        self.channel = nil
    }
}

/// Asks for the upgrade, and hears when it is refused.
private final class UpgradeRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let head: HTTPRequestHead
    private let socket: TreeSocket

    init(_ head: HTTPRequestHead, _ socket: TreeSocket) {
        (self.head, self.socket) = (head, socket)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(self.wrapOutboundOut(.head(self.head)), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = self.unwrapInboundIn(data) { self.socket.refused(head.status) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.socket.note("\(error)")
        context.close(promise: nil)
    }
}

/// Frames of a connection that is open.
private final class FrameHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let socket: TreeSocket

    init(_ socket: TreeSocket) {
        self.socket = socket
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = self.unwrapInboundIn(data)
        switch frame.opcode {
        case .text: self.socket.received(Array(frame.unmaskedData.readableBytesView))
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
            context.writeAndFlush(self.wrapOutboundOut(pong), promise: nil)
        case .connectionClose:
            let answer = WebSocketFrame(
                fin: true,
                opcode: .connectionClose,
                maskKey: .random(),
                data: frame.unmaskedData
            )
            context.writeAndFlush(self.wrapOutboundOut(answer), promise: nil)
            context.close(promise: nil)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.socket.note("\(error)")
        context.close(promise: nil)
    }
}
