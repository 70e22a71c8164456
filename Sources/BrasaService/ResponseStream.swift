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
    /// Until other calls have had their turn.
    private var isPaused = false

    /// What is sent in one turn, about, and what a message costs besides its bytes.
    private static let turnBytes = 128 << 10
    private static let messageCost = 256

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
        guard !self.isPumping, !self.isPaused else { return }
        self.isPumping = true
        defer { self.isPumping = false }
        var room = Self.turnBytes
        while let source = self.source, self.call.isWritable {
            guard room > 0 else { return self.pause() }
            switch source() {
            case .message(let message):
                room -= message.readableBytes + Self.messageCost
                self.call.send(message)
            case .yield:
                return self.pause()
            case .end:
                self.source = nil
                self.call.finish(.ok)
            case .failure(let status):
                self.source = nil
                self.call.finish(status)
            }
        }
    }

    /// Lets other calls have their turn.
    private func pause() {
        self.isPaused = true
        self.call.eventLoop.execute {
            self.isPaused = false
            self.pump()
        }
    }
}
