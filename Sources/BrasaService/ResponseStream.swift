import BrasaGRPC
import NIOCore

/// Sends the responses of a server-streaming call as fast as the client takes them, and no faster: a response is made
/// only when there is room for it.
///
/// Unchecked, because all of it is used on the call's event loop only; completions merely carry it there.
final class ResponseStream: GRPCServerStreamHandler, @unchecked Sendable {
    /// What a source has next.
    enum Part {
        case message(ByteBuffer)
        /// Nothing yet, but work was done: other calls get their turn before it goes on.
        case yield
        case end
        case failure(GRPCStatus)
    }

    private let call: GRPCServerCall
    private var source: (() -> Part)?
    private var isPumping = false

    init(_ call: GRPCServerCall) {
        self.call = call
    }

    /// Sends what `source` makes until it ends. It is let go of then, or when the call is cancelled.
    func run(_ source: @escaping () -> Part) {
        guard !self.call.isFinished else { return }
        self.source = source
        self.pump()
    }

    func becameWritable() {
        self.pump()
    }

    func cancelled() {
        self.source = nil
    }

    private func pump() {
        guard !self.isPumping else { return }
        self.isPumping = true
        defer { self.isPumping = false }
        while let source = self.source, self.call.isWritable {
            switch source() {
            case .message(let message):
                self.call.send(message)
            case .yield:
                return self.call.eventLoop.execute { self.pump() }
            case .end:
                self.source = nil
                self.call.finish(.ok)
            case .failure(let status):
                self.source = nil
                self.call.finish(status)
            }
        }
    }
}
