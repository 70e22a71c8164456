import BrasaGRPC
import NIOCore

/// The listeners and the writer of a plan, by gRPC. Everything happens on one event loop.
///
/// Unchecked: other threads only pass the reference on.
final class ListenBench: @unchecked Sendable {
    let plan: ListenPlan
    let messages: any ListenMessages
    let measurement: ListenMeasurement
    private let eventLoop: any EventLoop
    private var channels: [any Channel] = []
    private var channelsToStall: [any Channel] = []
    private var writer: GRPCClientConnection?
    private var listeners: [Listener] = []
    private var reader = ChangeStamp.Reader()

    init(_ plan: ListenPlan, on eventLoop: any EventLoop) throws {
        self.plan = plan
        self.messages = try plan.messages()
        self.eventLoop = eventLoop
        self.measurement = ListenMeasurement(
            plan.pace,
            listeners: plan.listeners,
            reading: plan.reading,
            on: eventLoop
        )
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

    /// When every listener has the first state, and those that are to stall do.
    func whenReady() -> EventLoopFuture<Void> {
        self.measurement.whenReady.flatMap {
            let stalled = self.channelsToStall.map { $0.setOption(.autoRead, value: false) }
            return EventLoopFuture.andAllSucceed(stalled, on: self.eventLoop)
        }
    }

    // MARK: The measurement

    func start() {
        self.measurement.start { number, stamp in self.change(number % self.plan.documents, stamp) }
    }

    func close() {
        self.eventLoop.execute {
            self.measurement.end()
            for channel in self.channels { channel.close(promise: nil) }
        }
    }

    private func change(_ document: Int, _ stamp: UInt64) {
        guard let writer = self.writer else { return }
        var message = writer.makeMessageBuffer(capacity: self.plan.documentBytes + 256)
        self.messages.change(document, stamp: stamp, into: &message)
        writer.unary(self.messages.write, message, metadata: self.messages.metadata) { result in
            switch result {
            case .failure(let failure): self.measurement.failed("a change: \(failure.status)")
            case .success: self.measurement.answered(stamp)
            }
        }
    }

    fileprivate func received(_ message: ByteBuffer) {
        // Shorter ones are about targets.
        guard message.readableBytes >= self.plan.documentBytes, let stamp = self.reader.stamp(in: message) else {
            return
        }
        self.measurement.received(stamp)
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
        self.bench.measurement.becameReady()
    }

    func finished(_ result: GRPCCallResult) {
        self.call = nil
        self.bench.measurement.failed("a listener: \(result.status)")
    }
}
