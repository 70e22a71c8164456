import BrasaGRPC
import Histogram
import NIOCore

/// The listeners and the writer of a plan. Everything happens on one event loop: whoever measures takes one core.
///
/// Unchecked: other threads only pass the reference on.
final class ListenBench: @unchecked Sendable {
    let plan: ListenPlan
    let messages: any ListenMessages
    private let eventLoop: any EventLoop
    private var channels: [any Channel] = []
    private var channelsToStall: [any Channel] = []
    private var writer: GRPCClientConnection?
    private var listeners: [Listener] = []
    private var reader = ChangeStamp.Reader()
    private var report = ListenReport()
    private var isRecording = false
    private var isStopping = false

    /// Completes when every listener has the first state.
    private let ready: EventLoopPromise<Void>
    private var unready: Int
    private let reading: Int
    /// Completes when the last change is delivered, or fails with what went wrong.
    private let done: EventLoopPromise<ListenReport>

    /// Of the closed loop: the change that is under way, and who has not heard of it.
    private var current: UInt64 = 0
    private var waiting = 0
    private var changesMade = 0
    private var lastStamp: UInt64 = 0
    private var nextStart = NIODeadline.now()

    init(_ plan: ListenPlan, on eventLoop: any EventLoop) throws {
        self.plan = plan
        self.messages = try plan.messages()
        self.eventLoop = eventLoop
        self.ready = eventLoop.makePromise()
        self.done = eventLoop.makePromise()
        self.unready = plan.listeners
        self.reading = plan.reading
        if plan.listeners == 0 { self.ready.succeed(()) }
    }

    // MARK: Before the measurement

    /// Writes the documents that are listened to.
    func setUp(_ writer: GRPCClientConnection, _ channel: any Channel) -> EventLoopFuture<Void> {
        self.writer = writer
        self.channels.append(channel)
        let written = (0..<self.plan.documents).map { document in
            var message = writer.makeMessageBuffer(capacity: self.plan.documentBytes + 256)
            self.messages.change(document, stamp: 0, into: &message)
            return writer.unary(self.messages.write, message, metadata: self.messages.metadata).map { _ in }
        }
        return EventLoopFuture.andAllSucceed(written, on: self.eventLoop).flatMapErrorThrowing { error in
            throw BenchError("set-up: \((error as? GRPCCallResult)?.status.description ?? "\(error)")")
        }
    }

    func listen(_ connection: GRPCClientConnection, _ channel: any Channel, _ share: ListenPlan.Share) {
        self.channels.append(channel)
        if share.isStalled { self.channelsToStall.append(channel) }
        let request = connection.request(self.messages.listen, metadata: self.messages.metadata)
        for index in 0..<share.listeners {
            let listener = Listener(self, stalls: index < share.stalled)
            self.listeners.append(listener)
            var message = connection.makeMessageBuffer(capacity: 256)
            self.messages.subscribe(into: &message)
            let call = connection.bidirectional(request, handler: listener)
            listener.call = call
            call.send(message)
        }
    }

    func whenReady() -> EventLoopFuture<Void> { self.ready.futureResult }

    fileprivate func becameReady() {
        self.unready -= 1
        guard self.unready == 0 else { return }
        let stalled = self.channelsToStall.map { $0.setOption(.autoRead, value: false) }
        self.ready.completeWith(EventLoopFuture.andAllSucceed(stalled, on: self.eventLoop))
    }

    // MARK: The measurement

    func start() {
        self.eventLoop.execute {
            self.nextStart = .now()
            switch self.plan.pace {
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
            self.isStopping = true
            self.done.succeed(self.report)
        }
        return self.done.futureResult
    }

    func close() {
        self.eventLoop.execute {
            self.isStopping = true
            for channel in self.channels { channel.close(promise: nil) }
        }
    }

    private func changeDue() {
        guard !self.isStopping, case .open(let rate) = self.plan.pace else { return }
        self.change(startingAt: self.nextStart)
        self.nextStart = self.nextStart + .nanoseconds(Int64(1e9 / rate))
        self.eventLoop.scheduleTask(deadline: self.nextStart) { self.changeDue() }
    }

    private func change(startingAt start: NIODeadline) {
        guard let writer = self.writer else { return }
        // No two are alike, so that a stamp names its change.
        self.lastStamp = max(self.lastStamp + 1, start.uptimeNanoseconds)
        self.current = self.lastStamp
        self.waiting = self.reading
        self.changesMade += 1
        if self.isRecording { self.report.changes += 1 }
        var message = writer.makeMessageBuffer(capacity: self.plan.documentBytes + 256)
        self.messages.change(self.changesMade % self.plan.documents, stamp: self.current, into: &message)
        let stamp = self.current
        writer.unary(self.messages.write, message, metadata: self.messages.metadata) { result in
            switch result {
            case .failure(let failure): self.failed("a change: \(failure.status)")
            case .success: self.answered(stamp)
            }
        }
    }

    private func answered(_ stamp: UInt64) {
        if self.isRecording { Self.record(stamp, in: &self.report.answers) }
        if self.reading == 0 { self.changeNext() }
    }

    /// Where nothing but the last change's delivery is waited for.
    private func changeNext() {
        if !self.isStopping, case .closed = self.plan.pace { self.change(startingAt: .now()) }
    }

    fileprivate func received(_ message: ByteBuffer) {
        // Shorter ones are about targets.
        guard message.readableBytes >= self.plan.documentBytes, let stamp = self.reader.stamp(in: message) else {
            return
        }
        if self.isRecording { Self.record(stamp, in: &self.report.deliveries) }
        guard stamp == self.current else { return }
        self.waiting -= 1
        if self.waiting == 0 { self.changeNext() }
    }

    private static func record(_ stamp: UInt64, in times: inout Histogram<UInt64>) {
        let now = NIODeadline.now().uptimeNanoseconds
        _ = times.record(now > stamp ? now - stamp : 0)
    }

    /// Ends the bench before its time, if it has not ended.
    func abandon() {
        self.eventLoop.execute { self.failed("given up") }
    }

    fileprivate func failed(_ reason: String) {
        guard !self.isStopping else { return }
        self.isStopping = true
        let error = BenchError(reason)
        self.ready.fail(error)
        self.done.fail(error)
    }
}

/// One stream.
private final class Listener: GRPCClientResponseHandler {
    // Guarded by the event loop.
    private let bench: ListenBench
    private let stalls: Bool
    private var isReady = false
    /// Let go of when it ends. Not weak, which would make every count of references to a call slower.
    var call: GRPCClientCall?

    init(_ bench: ListenBench, stalls: Bool) {
        self.bench = bench
        self.stalls = stalls
    }

    func received(message: ByteBuffer) {
        if self.isReady { return self.bench.received(message) }
        guard self.bench.messages.completesFirstState(message) else { return }
        self.isReady = true
        if self.stalls { self.call?.pauseReading() }
        self.bench.becameReady()
    }

    func finished(_ result: GRPCCallResult) {
        self.call = nil
        self.bench.failed("a listener: \(result.status)")
    }
}
