import NIOCore

/// Reads a connection's first bytes and hands it to HTTP/2 (prior knowledge preface) or HTTP/1.1, which share the port.
///
/// Holds at most the 24 bytes of the preface; a peer that sends nothing decisive in time is closed.
final class ProtocolSniffer: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    enum Verdict {
        case http2
        case http1
        case undecided
    }

    /// RFC 9113, section 3.4.
    private static let preface: [UInt8] = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let timeLimit: TimeAmount
    private let configure: (Verdict, any Channel) throws -> Void
    private var received = ByteBuffer()
    private var timeout: Scheduled<Void>?

    init(timeLimit: TimeAmount, configure: @escaping (Verdict, any Channel) throws -> Void) {
        self.timeLimit = timeLimit
        self.configure = configure
    }

    static func verdict(on bytes: ByteBufferView) -> Verdict {
        guard zip(bytes, Self.preface).allSatisfy({ $0 == $1 }) else { return .http1 }
        return bytes.count >= Self.preface.count ? .http2 : .undecided
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        self.timeout = context.eventLoop.scheduleTask(in: self.timeLimit) {
            channel.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.timeout?.cancel()
        self.timeout = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = self.unwrapInboundIn(data)
        if self.received.readableBytes == 0 {
            self.received = buffer
        } else {
            self.received.writeBuffer(&buffer)
        }
        let verdict = Self.verdict(on: self.received.readableBytesView)
        guard verdict != .undecided else { return }
        do {
            try self.configure(verdict, context.channel)
        } catch {
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(self.wrapInboundOut(self.received))
        context.fireChannelReadComplete()
        self.received = ByteBuffer()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
