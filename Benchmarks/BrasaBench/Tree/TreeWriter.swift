import BrasaStatus
import Histogram
import NIOCore

/// Keeps one connection busy with writes. Everything happens on its event loop; unchecked for the same reason.
final class TreeWriter: @unchecked Sendable {
    private let plan: TreeWritePlan
    private let socket: TreeSocket
    private let eventLoop: any EventLoop
    private let padding: [UInt8]
    /// Of the connection among the others, so that no two write the same.
    private let index: Int
    private var generator = QuickRandom()
    private var starts: [Int: NIODeadline] = [:]
    private var report = BenchReport()
    private var isRecording = false
    private var isStopping = false
    private var stopped: EventLoopPromise<BenchReport>?

    init(_ plan: TreeWritePlan, _ socket: TreeSocket, index: Int, on eventLoop: any EventLoop) {
        self.plan = plan
        self.socket = socket
        self.index = index
        self.eventLoop = eventLoop
        self.padding = Array(repeating: UInt8(ascii: "x"), count: plan.base.valueBytes)
    }

    func start() {
        self.eventLoop.execute {
            self.socket.received = { reply, message in self.received(reply, message) }
            self.socket.ended = { reason in self.ended(reason) }
            for _ in 0..<self.plan.inFlight { self.write() }
            self.socket.flush()
        }
    }

    func record() {
        self.eventLoop.execute { self.isRecording = true }
    }

    /// Ends the recording at once, and completes when the writes in flight have been answered.
    func stop() -> EventLoopFuture<BenchReport> {
        self.eventLoop.flatSubmit {
            self.isStopping = true
            self.isRecording = false
            let promise = self.eventLoop.makePromise(of: BenchReport.self)
            self.stopped = promise
            self.finishIfIdle()
            return promise.futureResult
        }
    }

    private func write() {
        let number = self.socket.nextNumber()
        let start = NIODeadline.now()
        // What is there already would not be written.
        let name = Array("\(start.uptimeNanoseconds)-\(self.index)-\(number)-".utf8)
        let value = name + self.padding.dropFirst(name.count)
        let place = Int.random(in: 0..<self.plan.places, using: &self.generator)
        self.starts[number] = start
        self.socket.send(TreeMessages.put(number, "/\(Self.node)/leaf-\(place)", value))
    }

    /// Where the leaves are that are written to.
    static let node = "written"

    /// How long ago a leaf was given its value, by the clock of this machine, which all its processes share. Nil for what
    /// was not written by a writer.
    static func latency(of value: String?) -> Duration? {
        guard let start = value?.prefix(while: { $0 != "-" }), let nanoseconds = UInt64(start), nanoseconds > 0 else {
            return nil
        }
        return .nanoseconds((NIODeadline.now() - .uptimeNanoseconds(nanoseconds)).nanoseconds)
    }

    private func received(_ reply: TreeReply, _ message: ByteBuffer) {
        guard case .answer(let number, let isOK) = reply, let start = self.starts.removeValue(forKey: number) else {
            return
        }
        if !isOK {
            self.fail(String(buffer: message))
        } else if self.isRecording {
            _ = self.report.latencies.record(UInt64(max(0, (NIODeadline.now() - start).nanoseconds)))
        }
        if self.isStopping { self.finishIfIdle() } else { self.write() }
    }

    private func ended(_ reason: String) {
        guard self.stopped != nil || !self.isStopping else { return }
        self.fail(reason)
        self.isStopping = true
        self.starts = [:]
        self.finishIfIdle()
    }

    private func fail(_ text: String) {
        self.report.failures[.unknown, default: 0] += 1
        self.report.failureExample = self.report.failureExample ?? text
    }

    private func finishIfIdle() {
        guard self.starts.isEmpty, let stopped = self.stopped else { return }
        self.stopped = nil
        stopped.succeed(self.report)
        self.socket.close()
    }
}
