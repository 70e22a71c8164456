package import BrasaTree

/// The server's side of one connection, from frames to requests and back, without a socket or a clock: frames and answers
/// in, actions out.
///
/// Requests are handed on in the order in which they came, and answered in it, however their answers come in. Pushes go
/// out at once: whoever drives this hands over a write's pushes before the answer to it.
package struct TreeConnection: Sendable {
    package enum Action: Sendable {
        /// One text frame.
        case send([UInt8])
        case perform(TreeRequest.Ticket, TreeAction)
        /// Nothing is to be read, sent or expected any more.
        case close(WireFault)
    }

    /// What there is of a listen: how its pushes are marked.
    package struct Listen: Hashable, Sendable {
        package let target: TreeTarget
        package let tag: Int64?
    }

    private struct Waiting {
        let number: Int64
        var response: (status: TreeStatus, data: ResponseData)?
    }

    private let limits: WireLimits
    private var joiner: FrameJoiner
    private var isClosed = false
    private var lastHeard: Int64
    /// Requests without an answer, or with one that waits for those before it.
    private var waiting: [Waiting] = []
    /// Of them, the first that were answered: they are removed many at a time.
    private var answeredCount = 0
    /// The ticket of the first that is kept.
    private var firstTicket = 0
    package private(set) var listens: [TreeTarget: Listen] = [:]

    package init(limits: WireLimits = WireLimits(), milliseconds: Int64) {
        self.limits = limits
        self.joiner = FrameJoiner(messageBytesMax: limits.messageBytesMax)
        self.lastHeard = milliseconds
    }

    /// What is kept of a message that is not complete.
    package var heldBytes: Int { self.joiner.heldBytes }

    /// Of a longer message no more is kept, and the request that it is is refused. For who may not write anyway.
    package var keptBytesMax: Int {
        get { self.joiner.keptBytesMax }
        set { self.joiner.keptBytesMax = newValue }
    }

    /// The first thing that a client is told.
    package func open(milliseconds: Int64, host: String, session: String) -> [Action] {
        self.frames(.hello(milliseconds: milliseconds, host: host, session: session))
    }

    package mutating func receive(_ frame: [UInt8], milliseconds: Int64) -> [Action] {
        guard !self.isClosed else { return [] }
        self.lastHeard = milliseconds
        do throws(WireFault) {
            guard let text = try self.joiner.join(frame) else { return [] }
            let isCut = self.joiner.isCut
            let message =
                isCut
                ? try ClientMessage(beginning: text, limits: self.limits) : try ClientMessage(text, limits: self.limits)
            switch message {
            case .ping: return self.frames(.pong)
            case .control: return []
            case .request(let request): return try self.receive(request)
            }
        } catch {
            return self.close(error)
        }
    }

    private mutating func receive(_ request: TreeRequest) throws(WireFault) -> [Action] {
        guard self.waiting.count - self.answeredCount < self.limits.requestsMax else {
            throw .tooManyRequests(requestsMax: self.limits.requestsMax)
        }
        let ticket = TreeRequest.Ticket(value: self.firstTicket + self.waiting.count)
        self.waiting.append(Waiting(number: request.number))
        do throws(TreeRequestFault) {
            let action = try request.action.get()
            try self.register(action)
            return [.perform(ticket, action)]
        } catch {
            return self.respond(ticket, error.status, .text(error.message))
        }
    }

    /// A listen is one from when it is asked for, so that it can be ended before it was answered.
    private mutating func register(_ action: TreeAction) throws(TreeRequestFault) {
        switch action {
        case .listen(let target, let tag, _, _):
            guard self.listens[target] != nil || self.listens.count < self.limits.listensMax else {
                throw .tooManyListens(listensMax: self.limits.listensMax)
            }
            self.listens[target] = Listen(target: target, tag: tag)
        case .unlisten(let target, _): self.listens[target] = nil
        default: break
        }
    }

    /// Answers a request. What was answered before, or on a connection that is closed, is left out.
    package mutating func respond(
        _ ticket: TreeRequest.Ticket,
        _ status: TreeStatus,
        _ data: ResponseData = .empty
    ) -> [Action] {
        let index = ticket.value - self.firstTicket
        guard !self.isClosed, self.waiting.indices.contains(index), self.waiting[index].response == nil else {
            return []
        }
        self.waiting[index].response = (status, data)
        var actions: [Action] = []
        while self.answeredCount < self.waiting.count, let response = self.waiting[self.answeredCount].response {
            let number = self.waiting[self.answeredCount].number
            self.waiting[self.answeredCount].response = (response.status, .empty)
            self.answeredCount += 1
            actions += self.frames(.response(number: number, response.status, response.data))
        }
        if self.answeredCount > self.waiting.count / 2 {
            self.waiting.removeFirst(self.answeredCount)
            self.firstTicket += self.answeredCount
            self.answeredCount = 0
        }
        return actions
    }

    /// A listen that was refused, or is not allowed any more, is none.
    package mutating func end(_ target: TreeTarget) {
        self.listens[target] = nil
    }

    package func push(_ push: TreePush) -> [Action] {
        self.isClosed ? [] : self.frames(.push(push))
    }

    /// A push as frames, for who sends the same to many.
    package static func frames(of push: TreePush) -> [[UInt8]] { FrameSplitter.split(ServerMessage.push(push).text) }

    /// The client took something: it is there, though it may have no turn to say so.
    package mutating func progressed(milliseconds: Int64) {
        self.lastHeard = milliseconds
    }

    /// Looks whether the client is still there.
    package mutating func tick(milliseconds: Int64) -> [Action] {
        guard !self.isClosed, milliseconds - self.lastHeard > self.limits.silenceMillisecondsMax else { return [] }
        return self.close(.silent)
    }

    private mutating func close(_ fault: WireFault) -> [Action] {
        self.isClosed = true
        self.waiting = []
        self.answeredCount = 0
        self.listens = [:]
        return [.close(fault)]
    }

    private func frames(_ message: ServerMessage) -> [Action] {
        FrameSplitter.split(message.text).map(Action.send)
    }
}

extension TreeRequest {
    /// Names a request of one connection for its answer: a client's numbers need not be distinct.
    package struct Ticket: Hashable, Sendable {
        let value: Int
    }
}
