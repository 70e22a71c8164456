import Histogram
import NIOCore

/// One writer's changes in turn, and how long it takes until listeners hear of each. Who speaks with the server sends the
/// changes and says what was received. Everything happens on one event loop: whoever measures takes one core.
///
/// Unchecked: other threads only pass the reference on.
final class ListenMeasurement: @unchecked Sendable {
    /// Sends the change of that number, which carries that stamp.
    typealias Change = @Sendable (_ number: Int, _ stamp: UInt64) -> Void

    private let pace: ListenPlan.Pace
    private let reading: Int
    private let eventLoop: any EventLoop
    private var send: Change?
    private var report = ListenReport()
    private var isRecording = false
    private var isStopping = false

    /// Completes when every listener has the first state.
    private let ready: EventLoopPromise<Void>
    private var unready: Int
    /// Completes when the last change is delivered, or fails with what went wrong.
    private let done: EventLoopPromise<ListenReport>

    /// Of the closed loop: the change that is under way, and who has not heard of it.
    private var current: UInt64 = 0
    private var waiting = 0
    private var changesMade = 0
    private var lastStamp: UInt64 = 0
    private var nextStart = NIODeadline.now()

    /// - Parameter reading: of the listeners, those that hear of changes.
    init(_ pace: ListenPlan.Pace, listeners: Int, reading: Int, on eventLoop: any EventLoop) {
        self.pace = pace
        self.reading = reading
        self.eventLoop = eventLoop
        self.ready = eventLoop.makePromise()
        self.done = eventLoop.makePromise()
        self.unready = listeners
        if listeners == 0 { self.ready.succeed(()) }
    }

    var whenReady: EventLoopFuture<Void> { self.ready.futureResult }

    /// One listener has the first state.
    func becameReady() {
        self.unready -= 1
        if self.unready == 0 { self.ready.succeed(()) }
    }

    func start(_ change: @escaping Change) {
        self.eventLoop.execute {
            self.send = change
            self.nextStart = .now()
            switch self.pace {
            case .closed: self.change(startingAt: .now())
            case .open: self.changeDue()
            }
        }
    }

    func record() {
        self.eventLoop.execute { self.isRecording = true }
    }

    /// Ends the recording at once.
    func stop() -> EventLoopFuture<ListenReport> {
        self.eventLoop.execute {
            self.isRecording = false
            self.end()
            self.done.succeed(self.report)
        }
        return self.done.futureResult
    }

    /// No change is made any more, and what fails is no failure.
    func end() {
        self.isStopping = true
        self.send = nil
    }

    /// Ends the measurement before its time, if it has not ended.
    func abandon() {
        self.eventLoop.execute { self.failed("given up") }
    }

    private func changeDue() {
        guard !self.isStopping, case .open(let rate) = self.pace else { return }
        self.change(startingAt: self.nextStart)
        self.nextStart = self.nextStart + .nanoseconds(Int64(1e9 / rate))
        self.eventLoop.scheduleTask(deadline: self.nextStart) { self.changeDue() }
    }

    private func change(startingAt start: NIODeadline) {
        guard let send = self.send else { return }
        // No two are alike, so that a stamp names its change.
        self.lastStamp = max(self.lastStamp + 1, start.uptimeNanoseconds)
        self.current = self.lastStamp
        self.waiting = self.reading
        self.changesMade += 1
        if self.isRecording { self.report.changes += 1 }
        send(self.changesMade, self.current)
    }

    /// The writer was told that its change is made.
    func answered(_ stamp: UInt64) {
        if self.isRecording { Self.record(stamp, in: &self.report.answers) }
        if self.reading == 0 { self.changeNext() }
    }

    /// A listener was told of a change.
    func received(_ stamp: UInt64) {
        if self.isRecording { Self.record(stamp, in: &self.report.deliveries) }
        guard stamp == self.current else { return }
        self.waiting -= 1
        if self.waiting == 0 { self.changeNext() }
    }

    /// Where nothing but the last change's delivery is waited for.
    private func changeNext() {
        if !self.isStopping, case .closed = self.pace { self.change(startingAt: .now()) }
    }

    private static func record(_ stamp: UInt64, in times: inout Histogram<UInt64>) {
        let now = NIODeadline.now().uptimeNanoseconds
        _ = times.record(now > stamp ? now - stamp : 0)
    }

    func failed(_ reason: String) {
        guard !self.isStopping else { return }
        self.end()
        let error = BenchError(reason)
        self.ready.fail(error)
        self.done.fail(error)
    }
}
