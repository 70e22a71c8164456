import NIOCore
import NIOTLS

/// Right behind TLS: says how a connection's handshake ended, once.
final class TLSHandshake: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var onEnd: ((_ isComplete: Bool) -> Void)?

    init(onEnd: @escaping (_ isComplete: Bool) -> Void) {
        self.onEnd = onEnd
    }

    func end(isComplete: Bool) {
        guard let onEnd = self.onEnd else { return }
        self.onEnd = nil
        onEnd(isComplete)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? TLSUserEvent, case .handshakeCompleted = event { self.end(isComplete: true) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // TLS itself closes what fails before its handshake is complete, after it has told the peer why.
        guard self.onEnd == nil else { return self.end(isComplete: false) }
        context.fireErrorCaught(error)
    }
}
