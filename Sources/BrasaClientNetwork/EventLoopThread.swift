package import NIOCore
internal import NIOPosix

/// A thread with one event loop, beside those that other parts of the program share. It ends when nobody holds it any more:
/// everything that hands its loop work from another thread holds it.
package final class EventLoopThread: Sendable {
    package let eventLoop: any EventLoop
    private let group: MultiThreadedEventLoopGroup

    package init() {
        self.group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        self.eventLoop = self.group.next()
    }

    deinit {
        self.group.shutdownGracefully { _ in }
    }
}
