import NIOCore

/// The turns that calls take whose work needs more than one, in the order in which they ask for them. When they have taken
/// a while, the loop looks at its sockets before the next: NIO carries out every task first, those that tasks submit
/// included, so a call that only submitted its next turn would keep all connections of the loop waiting until it ended.
///
/// Unchecked, because it is used on its event loop only.
final class LoopTurns: @unchecked Sendable {
    private let eventLoop: any EventLoop
    /// The next one last.
    private var ready: [() -> Void] = []
    /// Asked for since.
    private var waiting: [() -> Void] = []
    private var isDue = false
    /// The loop may have looked at its sockets then, and not later.
    private var looked = NIODeadline.distantPast

    /// What turns may take until the loop looks at its sockets.
    static let most = TimeAmount.milliseconds(1)
    /// So long that the loop finds nothing that is to be done at once, which is when it looks at them.
    static let pause = TimeAmount.microseconds(50)

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Carries out `turn` when others have had theirs.
    func next(_ turn: @escaping () -> Void) {
        self.eventLoop.assertInEventLoop()
        self.waiting.append(turn)
        guard !self.isDue else { return }
        self.isDue = true
        self.looked = self.eventLoop.now
        self.eventLoop.execute { self.run() }
    }

    /// One after the other until it is time to look at the sockets. What a turn asks for comes after those that wait.
    private func run() {
        var rest = self.ready.count + self.waiting.count
        while rest > 0, self.eventLoop.now - self.looked < Self.most {
            self.take()
            rest -= 1
        }
        if self.ready.isEmpty, self.waiting.isEmpty {
            self.isDue = false
        } else if self.eventLoop.now - self.looked < Self.most {
            self.eventLoop.execute { self.run() }
        } else {
            self.eventLoop.scheduleTask(in: Self.pause) {
                self.looked = self.eventLoop.now
                self.run()
            }
        }
    }

    private func take() {
        if self.ready.isEmpty {
            self.ready = self.waiting.reversed()
            self.waiting.removeAll(keepingCapacity: true)
        }
        self.ready.popLast()?()
    }
}
