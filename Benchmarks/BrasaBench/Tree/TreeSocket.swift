import NIOCore
import NIOPosix

/// One connection of the Realtime Database's WebSocket, as whoever measures needs it. Used on its event loop only;
/// unchecked, because that is where the channel carries it.
final class TreeSocket: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Official clients say this much sooner than a server takes one for gone.
    private static let keepAliveInterval: TimeAmount = .seconds(45)
    private static let timeToOpen: TimeAmount = .seconds(20)

    private let handshake: String
    private let opened: EventLoopPromise<Void>
    private var frames = WebSocketFrames()
    private var isUpgraded = false
    private var isOpen = false
    private var keepAlive: RepeatedTask?
    private var context: ChannelHandlerContext?
    private var lastNumber = 0
    /// Each message, with what it is.
    var received: (TreeReply, ByteBuffer) -> Void = { _, _ in }
    /// The connection is over, for that reason.
    var ended: (String) -> Void = { _ in }

    private init(_ plan: TreePlan, on eventLoop: any EventLoop) {
        var lines = [
            "GET /.ws?v=5&ns=\(TreePlan.namespace) HTTP/1.1", "Host: \(plan.host):\(plan.port)", "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: YnJhc2EtdG9vbHMgYmVuY2g=",
        ]
        if let token = plan.token { lines.append("Authorization: Bearer \(token)") }
        self.handshake = lines.joined(separator: "\r\n") + "\r\n\r\n"
        self.opened = eventLoop.makePromise()
    }

    /// Connects, and waits for the server's first word.
    static func open(_ plan: TreePlan, on eventLoop: any EventLoop) async throws -> TreeSocket {
        let socket = TreeSocket(plan, on: eventLoop)
        do {
            _ = try await ClientBootstrap(group: eventLoop)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelOption(.maxMessagesPerRead, value: 4)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64 << 10))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(socket)
                    }
                }
                .connect(host: plan.host, port: plan.port).get()
        } catch {
            socket.opened.fail(error)
            throw BenchError(cannotConnectTo: plan.host, plan.port, error)
        }
        try await socket.opened.futureResult.get()
        return socket
    }

    // MARK: Sending

    /// A number for the next request.
    func nextNumber() -> Int {
        self.lastNumber += 1
        return self.lastNumber
    }

    func send(_ message: [UInt8]) {
        guard let context = self.context else { return }
        var buffer = context.channel.allocator.buffer(capacity: message.count + 14)
        WebSocketFrames.write(message, to: &buffer)
        context.write(self.wrapOutboundOut(buffer), promise: nil)
    }

    func flush() { self.context?.flush() }

    func close() { self.context?.close(promise: nil) }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.fail("the connection was closed")
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: self.handshake)), promise: nil)
        context.eventLoop.scheduleTask(in: Self.timeToOpen) {
            if !self.isOpen { self.fail("the server does not greet") }
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.fail("the server has closed the connection")
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.fail("\(error)")
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.frames.append(self.unwrapInboundIn(data))
        guard self.isUpgraded || self.upgrade() else { return }
        while let frame = self.frames.next() {
            switch frame.opcode {
            case WebSocketFrames.text: self.receive(frame.payload)
            case WebSocketFrames.ping:
                var buffer = context.channel.allocator.buffer(capacity: frame.payload.readableBytes + 14)
                WebSocketFrames.write(frame.payload.readableBytesView, opcode: WebSocketFrames.pong, to: &buffer)
                context.writeAndFlush(self.wrapOutboundOut(buffer), promise: nil)
            case WebSocketFrames.close: self.fail("the server sends its clients away")
            default: break
            }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Requests that follow on answers leave together.
        context.flush()
        context.fireChannelReadComplete()
    }

    private func upgrade() -> Bool {
        guard let head = self.frames.head(through: Array("\r\n\r\n".utf8)) else { return false }
        let line = String(buffer: head).prefix { $0 != "\r\n" }
        guard line.hasPrefix("HTTP/1.1 101") else {
            self.fail("the server answers \(line)")
            self.close()
            return false
        }
        self.isUpgraded = true
        return true
    }

    private func receive(_ message: ByteBuffer) {
        guard self.isOpen else {
            self.isOpen = true
            let interval = Self.keepAliveInterval
            self.keepAlive = self.context?.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) {
                _ in
                self.send(Array("0".utf8))
                self.flush()
            }
            return self.opened.succeed(())
        }
        self.received(TreeReply(message), message)
    }

    private func fail(_ reason: String) {
        self.keepAlive?.cancel()
        self.keepAlive = nil
        if !self.isOpen { self.opened.fail(BenchError("cannot connect: \(reason)")) }
        self.isOpen = true
        self.ended(reason)
    }
}
