import BrasaHTTP
import BrasaIdentity
import BrasaTreeService
import NIOCore

/// Sends an event stream: the next event when the client has taken the one before. Used on its event loop only; unchecked,
/// because wakes and ticks carry it there.
final class EventSender: @unchecked Sendable {
    /// How soon a stream ends whose reader may not read on.
    private static let tickInterval: TimeAmount = .seconds(1)
    /// Shorter than a connection may be idle.
    static let keepAliveTicks = 30

    private let stream: TreeEventStream
    /// Of its reader's share.
    private var claim: CallerClaim?
    private let eventLoop: any EventLoop
    private var output: TreeOutput?
    private var wake: (@Sendable () -> Void)?
    private var timer: RepeatedTask?
    private var ticks = 0
    private var isOver = false

    init(_ stream: TreeEventStream, _ claim: CallerClaim? = nil, on eventLoop: any EventLoop) {
        self.stream = stream
        self.claim = claim
        self.eventLoop = eventLoop
    }

    func start(_ wake: @escaping @Sendable () -> Void) {
        self.wake = wake
        self.stream.start(wake)
        let interval = Self.tickInterval
        self.timer = self.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in self.tick() }
    }

    func stop() {
        self.timer?.cancel()
        self.timer = nil
        self.wake = nil
        self.claim = nil
        self.stream.stop()
    }

    private func tick() {
        self.ticks += 1
        if self.ticks >= Self.keepAliveTicks || self.stream.ending != nil { self.wake?() }
    }

    func next() -> HTTPPieces.Next {
        if let piece = self.output?.next() { return .piece(piece) }
        self.output = nil
        if self.isOver { return .end }
        if let ending = self.stream.ending {
            self.isOver = true
            return self.begin(ending)
        }
        let (event, hasMore) = self.stream.next()
        if let event {
            self.ticks = 0
            let (piece, rest) = event.begin()
            self.output = rest
            return .piece(piece)
        }
        if hasMore {
            self.wake?()
            return .later
        }
        return self.ticks >= Self.keepAliveTicks ? self.begin(.keepAlive) : .later
    }

    private func begin(_ event: TreeEvent) -> HTTPPieces.Next {
        self.ticks = 0
        var output = event.output(self.stream.form)
        let piece = output.next() ?? []
        self.output = output
        return .piece(piece)
    }
}
