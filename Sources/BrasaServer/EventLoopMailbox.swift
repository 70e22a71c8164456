package import BrasaPlatform
package import NIOCore

/// Delivers the engine's completions on one event loop, where the calls that wait for them live.
package final class EventLoopMailbox: Mailbox {
    private let eventLoop: any EventLoop

    package init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    package func post(_ work: @escaping @Sendable () -> Void) {
        self.eventLoop.execute(work)
    }
}
