import NIOCore

/// The listeners and the writer of a plan, by WebSocket. Everything happens on one event loop; unchecked for the same
/// reason.
final class TreeListening: @unchecked Sendable {
    let measurement: ListenMeasurement
    private static let node = "/listened"
    private let plan: TreeListenPlan
    private let eventLoop: any EventLoop
    private let padding: [UInt8]
    private var sockets: [TreeSocket] = []
    private var writer: TreeSocket?
    /// Of changes that are not answered, by the numbers of their requests.
    private var stamps: [Int: UInt64] = [:]
    private var reader = ChangeStamp.Reader(.text)

    init(_ plan: TreeListenPlan, on eventLoop: any EventLoop) {
        self.plan = plan
        self.eventLoop = eventLoop
        let padding = max(0, plan.base.valueBytes - ChangeStamp.textByteCount)
        self.padding = Array(repeating: UInt8(ascii: "x"), count: padding)
        self.measurement = ListenMeasurement(
            plan.pace,
            listeners: plan.listeners,
            reading: plan.listeners,
            on: eventLoop
        )
    }

    // MARK: Before the measurement

    /// Writes what is listened to.
    func setUp(_ writer: TreeSocket) -> EventLoopFuture<Void> {
        self.eventLoop.flatSubmit {
            self.writer = writer
            self.sockets.append(writer)
            let written = self.eventLoop.makePromise(of: Void.self)
            writer.ended = { reason in written.fail(BenchError("set-up: \(reason)")) }
            writer.received = { reply, message in
                guard case .answer(_, let isOK) = reply else { return }
                if isOK { written.succeed(()) } else { written.fail(BenchError("set-up: \(String(buffer: message))")) }
            }
            self.write(stamp: 0)
            return written.futureResult.map {
                writer.ended = { reason in self.measurement.failed("the writer: \(reason)") }
                writer.received = { reply, message in self.answered(reply, message) }
            }
        }
    }

    func listen(_ socket: TreeSocket, _ listeners: Int) {
        self.eventLoop.execute {
            self.sockets.append(socket)
            socket.ended = { reason in self.measurement.failed("a listener: \(reason)") }
            socket.received = { reply, message in self.received(reply, message) }
            for query in 0..<listeners {
                socket.send(TreeMessages.listen(socket.nextNumber(), Self.node, query: query))
            }
            socket.flush()
        }
    }

    // MARK: The measurement

    func start() {
        self.measurement.start { _, stamp in self.write(stamp: stamp) }
    }

    func close() {
        self.eventLoop.execute {
            self.measurement.end()
            for socket in self.sockets { socket.close() }
        }
    }

    private func write(stamp: UInt64) {
        guard let writer = self.writer else { return }
        let number = writer.nextNumber()
        self.stamps[number] = stamp
        writer.send(TreeMessages.put(number, "\(Self.node)/leaf", ChangeStamp.text(stamp) + self.padding))
        writer.flush()
    }

    private func answered(_ reply: TreeReply, _ message: ByteBuffer) {
        guard case .answer(let number, let isOK) = reply, let stamp = self.stamps.removeValue(forKey: number) else {
            return
        }
        guard isOK else { return self.measurement.failed("a change: \(String(buffer: message))") }
        self.measurement.answered(stamp)
    }

    private func received(_ reply: TreeReply, _ message: ByteBuffer) {
        switch reply {
        case .push:
            // Zero is what was there before the first change.
            guard let stamp = self.reader.stamp(in: message), stamp > 0 else { return }
            self.measurement.received(stamp)
        case .answer(_, let isOK):
            guard isOK else { return self.measurement.failed("a listener: \(String(buffer: message))") }
            self.measurement.becameReady()
        case .control: break
        }
    }
}
