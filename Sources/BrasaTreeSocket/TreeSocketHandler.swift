package import NIOCore
package import NIOWebSocket

/// A WebSocket that carries a conversation. On its event loop only; unchecked, because answers carry it there.
package final class TreeSocketHandler: ChannelInboundHandler, TreeTransport, @unchecked Sendable {
    package typealias InboundIn = WebSocketFrame
    package typealias OutboundOut = WebSocketFrame

    /// What is written without a flush.
    private static let unflushedBytesMax = 32 << 10
    /// Frames of long messages: how far the client took them is looked at.
    private static let longFrameBytes = 16 << 10
    /// For how long a peer may take to read why it is closed.
    private static let closeTimeMax: TimeAmount = .seconds(5)

    let conversation: TreeConversation
    let eventLoop: any EventLoop
    private var context: ChannelHandlerContext?
    private var unflushedBytes = 0

    init(_ conversation: TreeConversation, on eventLoop: any EventLoop) {
        self.conversation = conversation
        self.eventLoop = eventLoop
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.conversation.start(self)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        self.conversation.end()
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.conversation.end()
        self.context = nil
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Clients connect again.
        if event is ChannelShouldQuiesceEvent { self.conversation.close(.goingAway) }
        context.fireUserInboundEventTriggered(event)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.conversation.close(.protocolError)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.conversation.isClosing else { return }
        let frame = self.unwrapInboundIn(data)
        switch frame.opcode {
        case .text: self.conversation.receive(Array(frame.unmaskedData.readableBytesView))
        case .binary: self.conversation.close(.unacceptableData)
        case .ping:
            // Nobody gathers what is not read.
            guard context.channel.isWritable else { return }
            let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
            context.writeAndFlush(self.wrapOutboundOut(pong), promise: nil)
        case .connectionClose: self.conversation.close(.normalClosure)
        default: break
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        self.flush()
        context.fireChannelReadComplete()
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.conversation.writabilityChanged()
        context.fireChannelWritabilityChanged()
    }

    // MARK: What the conversation asks for

    var isWritable: Bool { self.context?.channel.isWritable ?? false }

    func send(_ frame: [UInt8]) {
        guard let context = self.context else { return }
        let text = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: frame))
        context.write(self.wrapOutboundOut(text), promise: self.promise(frame.count, context))
        self.unflushedBytes += frame.count
        if self.unflushedBytes > Self.unflushedBytesMax { self.flush() }
    }

    /// Of a long message's frame: how far the client takes it says that it is there, and what it has not taken is kept.
    private func promise(_ bytes: Int, _ context: ChannelHandlerContext) -> EventLoopPromise<Void>? {
        guard bytes >= Self.longFrameBytes else { return nil }
        self.conversation.keep(bytes)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenSuccess { self.conversation.took(bytes) }
        return promise
    }

    func send(_ frames: [[UInt8]], sharing script: inout [UInt8]?) {
        for frame in frames { self.send(frame) }
    }

    func flush() {
        self.unflushedBytes = 0
        self.context?.flush()
    }

    func setReading(_ isReading: Bool) {
        try? self.context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    func close(_ code: WebSocketErrorCode) {
        guard let context = self.context else { return }
        var data = context.channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
        context.writeAndFlush(self.wrapOutboundOut(frame), promise: written)
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.eventLoop.scheduleTask(in: Self.closeTimeMax) { channel.close(promise: nil) }
    }
}

extension WebSocketErrorCode {
    /// As registered with IANA.
    static let tryAgainLater = WebSocketErrorCode(codeNumber: 1013)
}
