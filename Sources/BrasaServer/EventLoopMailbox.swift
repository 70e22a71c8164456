import BrasaPlatform
import NIOCore

/// Delivers the engine's completions on one event loop, where the calls that wait for them live.
final class EventLoopMailbox: Mailbox {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func post(_ work: @escaping @Sendable () -> Void) {
        self.eventLoop.execute(work)
    }
}
