import BrasaTreeWire
import NIOCore
import NIOWebSocket

/// A conversation over requests of long polling. On its own event loop, whichever has the requests; unchecked, because they
/// are carried there.
final class PollSession: TreeTransport, @unchecked Sendable {
    /// About what it keeps whatever is said: of WebSockets the connection counts.
    static let keptBytes = 8 << 10
    /// Of what comes while nothing is looked at. Clients wait for replies before they send more.
    private static let pausedBytesMax = TreeConversation.requestBytesMax

    let key: PollRequest.Key
    let eventLoop: any EventLoop
    private let table: PollTable
    private let callback: PollRequest.Callback
    private let conversation: TreeConversation
    private var machine: PollMachine
    private var segments = SegmentJoiner()
    /// Messages are not cut here.
    private var frames = FrameJoiner(messageBytesMax: .max)
    /// Those that are not finished.
    private var replies: [Int: PollReply] = [:]
    private var hasGreeted = false
    private var isOver = false
    /// Came while nothing was looked at.
    private var pausedBytes = 0
    private var timer: (deadline: Int64, task: Scheduled<Void>)?

    init(
        _ key: PollRequest.Key,
        in table: PollTable,
        _ callback: PollRequest.Callback,
        _ conversation: TreeConversation,
        on eventLoop: any EventLoop
    ) {
        self.key = key
        self.table = table
        self.callback = callback
        self.conversation = conversation
        self.eventLoop = eventLoop
        self.machine = PollMachine(milliseconds: Self.milliseconds(eventLoop))
    }

    private static func milliseconds(_ eventLoop: any EventLoop) -> Int64 {
        Int64(eventLoop.now.uptimeNanoseconds / 1_000_000)
    }

    private var now: Int64 { Self.milliseconds(self.eventLoop) }

    /// From any thread.
    func onLoop(_ work: @escaping @Sendable (PollSession) -> Void) {
        self.eventLoop.execute { work(self) }
    }

    // MARK: Requests

    /// The first request is answered with the session's key, and what it is greeted with.
    func start(_ reply: PollReply) {
        self.replies[reply.number] = reply
        self.carryOut(self.machine.ask(reply.number, milliseconds: self.now))
        self.conversation.start(self, keptBytes: Self.keptBytes)
    }

    /// What a request brings is looked at before it is held, so that the answer to it goes to the one that waits.
    func poll(_ reply: PollReply, _ segments: [SegmentJoiner.Segment]?) {
        guard !self.isOver else { return reply.give(Array(PollScript.close.utf8)) }
        self.replies[reply.number] = reply
        self.conversation.heard()
        self.take(segments)
        self.conversation.flush()
        guard !self.isOver else { return }
        self.carryOut(self.machine.ask(reply.number, milliseconds: self.now))
    }

    private func take(_ segments: [SegmentJoiner.Segment]?) {
        guard let segments else { return self.conversation.close(.protocolError) }
        let aheadBytes = self.segments.aheadBytes
        do throws(WireFault) {
            for segment in segments {
                for frame in try self.segments.add(segment) {
                    self.conversation.receive(frame)
                    if !self.conversation.isReading { self.pausedBytes += frame.count }
                }
            }
        } catch {
            return self.conversation.close(error.code)
        }
        self.conversation.keepIncoming(self.segments.aheadBytes - aheadBytes)
        if self.pausedBytes > Self.pausedBytesMax { self.conversation.close(.policyViolation) }
    }

    func heard() {
        self.machine.progressed(milliseconds: self.now)
        self.conversation.heard()
    }

    /// The client has the reply, or has given up its request.
    func finish(_ request: Int, isWhole: Bool) {
        guard self.replies.removeValue(forKey: request) != nil, !self.isOver else { return }
        let (keptBytes, wasWritable) = (self.machine.keptBytes, self.isWritable)
        guard self.machine.finish(request, isWhole: isWhole, milliseconds: self.now) else {
            return self.conversation.close(.normalClosure)
        }
        self.conversation.took(keptBytes - self.machine.keptBytes)
        if !wasWritable, self.isWritable { self.conversation.writabilityChanged() }
        self.wait()
    }

    /// The client has gone, or the server does.
    func end() {
        self.conversation.close(.normalClosure)
    }

    // MARK: What the conversation asks for

    var isWritable: Bool { self.machine.isWritable }

    func send(_ frame: [UInt8]) {
        do throws(WireFault) {
            guard let message = try self.frames.join(frame) else { return }
            self.add(PollScript.escaped(message))
        } catch {
            self.conversation.close(error.code)
        }
    }

    func send(_ frames: [[UInt8]], sharing script: inout [UInt8]?) {
        do throws(WireFault) {
            for frame in frames where script == nil {
                script = try self.frames.join(frame).map { PollScript.escaped($0) }
            }
            if let script { self.add(script) }
        } catch {
            self.conversation.close(error.code)
        }
    }

    private func add(_ script: [UInt8]) {
        // What is kept is as long as what is sent.
        self.conversation.keep(script.count)
        // There was no room for it.
        guard !self.isOver else { return }
        self.machine.add(script)
    }

    func flush() {
        self.carryOut(self.machine.flush())
    }

    func setReading(_ isReading: Bool) {
        self.machine.isPaused = !isReading
        self.pausedBytes = 0
        self.flush()
    }

    func close(_ code: WebSocketErrorCode) {
        self.isOver = true
        self.timer?.task.cancel()
        self.timer = nil
        self.table.remove(self)
        if let last = self.machine.end() {
            let reply = self.replies.removeValue(forKey: last.request)
            // Of one that is cut off on its way it would wait for ever.
            let close = self.replies.isEmpty && last.number > 0 ? PollScript.closing(after: last) : PollScript.close
            reply?.give(self.beginning(isOver: true) + PollScript.reply(last) + Array(close.utf8))
        }
        // Nothing counts any more what is on its way.
        for reply in self.replies.values { reply.end(Array(PollScript.close.utf8)) }
        self.replies = [:]
    }

    // MARK: Replies

    private func carryOut(_ replies: [PollMachine.Reply]) {
        for reply in replies {
            self.replies[reply.request]?.give(self.beginning(isOver: false) + PollScript.reply(reply))
        }
        self.wait()
    }

    /// Of the first reply.
    private func beginning(isOver: Bool) -> [UInt8] {
        guard !self.hasGreeted else { return [] }
        self.hasGreeted = true
        return Array((PollScript.functions(self.callback) + (isOver ? "" : PollScript.start(self.key))).utf8)
    }

    /// Until the machine has something to do by itself.
    private func wait() {
        let deadline = self.machine.deadline
        // One that comes too soon looks for the next.
        if self.isOver || self.timer.map({ $0.deadline <= deadline }) ?? false { return }
        self.timer?.task.cancel()
        let task = self.eventLoop.scheduleTask(in: .milliseconds(max(1, deadline - self.now))) { self.tick() }
        self.timer = (deadline, task)
    }

    private func tick() {
        self.timer = nil
        // Released without a greeting it would never ask again; told that this is over it connects anew.
        if !self.hasGreeted, self.now >= self.machine.deadline { return self.conversation.close(.normalClosure) }
        let (replies, isOver) = self.machine.tick(milliseconds: self.now)
        if isOver { return self.conversation.close(.normalClosure) }
        self.carryOut(replies)
    }
}
