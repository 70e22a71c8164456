package import NIOCore

/// The turns of work that needs more than one, in the order in which they are asked for. When they have taken a while, the
/// loop looks at its sockets before the next: NIO carries out every task first, those that tasks submit included, so a call
/// that only submitted its next turn would keep all connections of the loop waiting until it ended.
///
/// Unchecked, because it is used on its event loop only.
package final class LoopTurns: @unchecked Sendable {
    private let eventLoop: any EventLoop
    private let look: any SocketLook
    /// The next one last.
    private var ready: [() -> Void] = []
    /// Asked for since.
    private var waiting: [() -> Void] = []
    private var isDue = false
    /// The first turn since the loop looked at its sockets began then.
    private var began = NIODeadline.distantPast

    /// What turns may take until the loop looks at its sockets.
    static let most = TimeAmount.milliseconds(1)

    package init(_ eventLoop: any EventLoop, _ look: any SocketLook) {
        self.eventLoop = eventLoop
        self.look = look
    }

    /// Carries out `turn` when others have had theirs; never when the loop ends before.
    package func next(_ turn: @escaping () -> Void) {
        self.eventLoop.assertInEventLoop()
        guard !self.look.hasEnded else { return }
        self.waiting.append(turn)
        guard !self.isDue else { return }
        self.isDue = true
        self.began = self.eventLoop.now
        self.eventLoop.execute { self.run() }
    }

    /// One after the other until it is time to look at the sockets. What a turn asks for comes after those that wait.
    private func run() {
        guard !self.look.hasEnded else { return self.letGo() }
        var rest = self.ready.count + self.waiting.count
        while rest > 0, self.hasTime {
            self.take()
            rest -= 1
        }
        if self.ready.isEmpty, self.waiting.isEmpty {
            self.isDue = false
        } else if self.hasTime {
            self.eventLoop.execute { self.run() }
        } else {
            self.look.next {
                self.began = self.eventLoop.now
                self.run()
            }
        }
    }

    private var hasTime: Bool { self.eventLoop.now - self.began < Self.most }

    private func take() {
        if self.ready.isEmpty {
            self.ready = self.waiting.reversed()
            self.waiting.removeAll(keepingCapacity: true)
        }
        self.ready.popLast()?()
    }

    /// Of turns that nobody would ever take, and all that they hold.
    private func letGo() {
        self.ready = []
        self.waiting = []
    }
}
