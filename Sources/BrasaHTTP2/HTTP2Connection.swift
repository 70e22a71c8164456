package import NIOCore

/// One HTTP/2 connection, as a server or as a client: the last handler of its channel's pipeline, and the owner of one
/// nghttp2 session.
///
/// Everything happens on the channel's event loop. Bytes read go through the session and out as calls of the streams'
/// handlers; what handlers send is collected by the session and leaves in one write per read batch or turn of the loop.
/// The work is spread over extensions: `+Receiving`, `+Sending`, `+Streams`, `+Drain`, `+Keepalive`.
package final class HTTP2Connection: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = Never
    package typealias OutboundIn = Never
    package typealias OutboundOut = ByteBuffer

    /// How a server makes handlers; nil on a client.
    let acceptor: HTTP2Acceptor?
    let isServer: Bool
    let limits: HTTP2Limits
    let session: Nghttp2Session
    /// What is kept for the peer: streams, what waits to be sent, and what their handlers count.
    let account: ByteAccount

    // All state is guarded by the event loop.
    var context: ChannelHandlerContext?
    var phase = Phase.idle
    var streams = StreamList()
    var spareStreams = StreamPool()

    /// Told once, when GOAWAY is sent or received: a client's pool stops using the connection.
    package var onDraining: (() -> Void)?
    /// The peer's GOAWAY complains of too many PINGs.
    package internal(set) var wasAskedForFewerPings = false
    /// Told once, when the peer's first SETTINGS have come: it speaks HTTP/2, and its limits are known.
    package var onPeerReady: (() -> Void)?
    /// Told of every stream that has gone, when it counts no more: there is room for another.
    package var onStreamClosed: (() -> Void)?

    /// Told once, when the connection is gone.
    package var onEnd: ((HTTP2ConnectionEnd) -> Void)?
    private var end = HTTP2ConnectionEnd.peer

    // Receiving.
    var scanner: FrameScanner
    var budgets: FrameBudgets
    var peerStreams = PeerStreams()
    var inbound = InboundBytes()
    var headerBlock: HeaderBlockReceiving
    /// Of all streams together; nghttp2 keeps only the books of padding and of data for streams that are gone.
    var window: ReceiveWindow

    // Sending.
    var pumping = PumpMachine()
    var outbound = OutboundBytes()
    var streamsToClose: [HTTP2Stream] = []
    var streamsToWake: [HTTP2Stream] = []
    var room = WaitingForRoom()
    var unread = UnreadWatch()

    // Ending.
    var draining = DrainState()
    var keepalive: KeepaliveMachine
    var keepaliveTimer: Scheduled<Void>?
    var lingerTimer: Scheduled<Void>?

    enum Phase {
        /// Not yet in an active channel.
        case idle
        case open
        /// The session is over: output is still sent, input ignored.
        case terminating
        /// The last bytes are on their way; the channel is closed behind them.
        case closing
        case closed
    }

    package init(role: HTTP2Role) {
        self.acceptor = role.acceptor
        self.isServer = role.isServer
        self.keepalive = KeepaliveMachine(role.keepalive)
        self.limits = role.limits
        self.session = Nghttp2Session(isServer: role.isServer, limits: role.limits)
        self.account = ByteAccount(role.budget)
        self.budgets = FrameBudgets(role.limits)
        self.scanner = FrameScanner(isServer: role.isServer)
        self.headerBlock = HeaderBlockReceiving(role.limits)
        self.window = ReceiveWindow(size: max(role.limits.connectionWindowBytes, 65_535))
        self.session.setOwner(Unmanaged.passUnretained(self).toOpaque())
    }

    package var openStreams: Int { self.streams.count }

    /// Whether the connection takes no new streams because GOAWAY was sent or received.
    package var isDraining: Bool { self.draining.phase != .none }

    var isClosed: Bool { self.phase == .closed }

    // MARK: Channel

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { self.start() }
    }

    package func channelActive(context: ChannelHandlerContext) {
        self.start()
        context.fireChannelActive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.tearDown()
        self.context = nil
    }

    package func channelInactive(context: ChannelHandlerContext) {
        self.tearDown()
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Socket errors: nothing more can be said to the peer.
        context.close(promise: nil)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.receive(self.unwrapInboundIn(data))
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        self.pumping.endReading()
        self.pump()
        context.fireChannelReadComplete()
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.noteSocketIsFull(!context.channel.isWritable)
        if context.channel.isWritable { self.setNeedsPump() }
        context.fireChannelWritabilityChanged()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A peer that has closed its sending side will neither ask nor open windows: there is nobody to talk to.
        if let event = event as? ChannelEvent, event == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Life

    private func start() {
        guard self.phase == .idle else { return }
        self.phase = .open
        self.account.open()
        self.act(self.keepalive.start())
        self.setNeedsPump()
    }

    func notePeerReady() {
        guard let onPeerReady = self.onPeerReady else { return }
        self.onPeerReady = nil
        onPeerReady()
    }

    /// Ends the connection with GOAWAY. Safe to call from callbacks.
    func terminate(_ code: HTTP2ErrorCode, _ end: HTTP2ConnectionEnd) {
        guard self.phase == .open || self.phase == .idle else { return }
        self.note(end)
        self.phase = .terminating
        self.session.terminate(code)
        self.noteDraining()
        self.startLinger()
        self.setNeedsPump()
    }

    /// The first reason counts.
    func note(_ end: HTTP2ConnectionEnd) {
        if self.end == .peer { self.end = end }
    }

    /// Closes the channel even when the peer takes no more bytes.
    func startLinger() {
        guard self.lingerTimer == nil, let context = self.context else { return }
        self.lingerTimer = context.eventLoop.assumeIsolated().scheduleTask(in: self.limits.lingerTime) {
            self.context?.close(promise: nil)
        }
    }

    private func tearDown() {
        guard self.phase != .closed else { return }
        self.phase = .closed
        _ = self.inbound.takeHeld()
        self.headerBlock.stream = nil
        self.time(headerBlock: nil)
        self.keepaliveTimer?.cancel()
        self.lingerTimer?.cancel()
        self.draining.cancelTimers()
        while let stream = self.streams.first {
            self.streams.remove(stream)
            self.close(stream, stream.localEnd ?? .connectionClosed)
        }
        self.streamsToClose = []
        self.streamsToWake = []
        self.spareStreams.removeAll(for: self.account)
        self.room.timer?.cancel()
        self.unread.timer?.cancel()
        self.outbound.dropOutput()
        self.noteSocketIsFull(false)
        self.account.close()
        self.noteDraining()
        self.onDraining = nil
        self.onPeerReady = nil
        self.onStreamClosed = nil
        self.onEnd?(self.end)
        self.onEnd = nil
    }
}
