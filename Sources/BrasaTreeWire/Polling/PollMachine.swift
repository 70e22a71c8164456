/// The server's side of long polling, without HTTP and without a clock: requests and messages in, replies out.
///
/// A request is held until there is something to reply, or for so long. Each reply has the next number, also one that says
/// nothing, since clients put replies into order by them. Requests are named by numbers, each once.
package struct PollMachine: Sendable {
    package struct Limits: Hashable, Sendable {
        /// Proxies cut a request that is not answered after 30 seconds or more.
        package var holdMilliseconds: Int64 = 25_000
        /// For how long there may be no request. A browser lets pages in the background do something once a minute.
        package var silenceMilliseconds: Int64 = 90_000
        /// The same, when the client has given up a request.
        package var cutMilliseconds: Int64 = 5_000
        /// Of what waits for a request, or is on its way: with more, nothing is added that can wait elsewhere.
        package var waitingBytesMax = 64 << 10

        package init() {}
    }

    package struct Reply: Hashable, Sendable {
        package let request: Int
        package let number: Int
        package let messages: [[UInt8]]
    }

    private struct Held {
        let request: Int
        let since: Int64
    }

    private let limits: Limits
    /// Two at most; the first one came first.
    private var held: [Held] = []
    /// Replies on their way, by their requests, as bytes.
    private var sending: [Int: Int] = [:]
    private var messages: [[UInt8]] = []
    private var number = 0
    /// When a request came or a client took something last.
    private var lastHeard: Int64
    /// When the last request that was held was given up, if none came since.
    private var lastCut: Int64?
    /// Of messages that wait and of those on their way.
    package private(set) var keptBytes = 0
    /// What the client says is not looked at for now. A client has two requests open at most, and sends no more until one is
    /// answered.
    package var isPaused = false

    package init(limits: Limits = Limits(), milliseconds: Int64) {
        self.limits = limits
        self.lastHeard = milliseconds
    }

    package var isWritable: Bool { self.keptBytes < self.limits.waitingBytesMax }

    package mutating func add(_ message: [UInt8]) {
        self.messages.append(message)
        self.keptBytes += message.count
    }

    package mutating func ask(_ request: Int, milliseconds: Int64) -> [Reply] {
        self.lastHeard = milliseconds
        self.lastCut = nil
        self.held.append(Held(request: request, since: milliseconds))
        return self.flush()
    }

    /// What there is to be said goes to the request that has waited longest, and a new request releases the one before it.
    package mutating func flush() -> [Reply] {
        var replies: [Reply] = []
        if !self.messages.isEmpty, let reply = self.reply() { replies.append(reply) }
        while self.held.count > (self.isPaused ? 2 : 1), let reply = self.reply() { replies.append(reply) }
        return replies
    }

    private mutating func reply() -> Reply? {
        guard let first = self.held.first else { return nil }
        self.held.removeFirst()
        defer {
            self.number += 1
            self.messages = []
        }
        self.sending[first.request] = self.messages.reduce(0) { $0 + $1.count }
        return Reply(request: first.request, number: self.number, messages: self.messages)
    }

    /// The client has taken a part of a reply.
    package mutating func progressed(milliseconds: Int64) {
        self.lastHeard = milliseconds
    }

    /// A request is over. False: its reply did not get there, which nobody can make up for.
    package mutating func finish(_ request: Int, isWhole: Bool, milliseconds: Int64) -> Bool {
        if let bytes = self.sending.removeValue(forKey: request) {
            self.keptBytes -= bytes
            if isWhole { self.lastHeard = milliseconds }
            return isWhole
        }
        let count = self.held.count
        self.held.removeAll { $0.request == request }
        if self.held.isEmpty, count > 0 { self.lastCut = milliseconds }
        return true
    }

    /// When `tick` has something to do, unless something happens before.
    package var deadline: Int64 {
        if let first = self.held.first { return first.since + self.limits.holdMilliseconds }
        let silence = self.lastHeard + self.limits.silenceMilliseconds
        return self.lastCut.map { min(silence, $0 + self.limits.cutMilliseconds) } ?? silence
    }

    /// Releases what was held for long enough. `isOver`: the client does not ask any more.
    package mutating func tick(milliseconds: Int64) -> (replies: [Reply], isOver: Bool) {
        var replies: [Reply] = []
        guard !self.held.isEmpty else { return (replies, milliseconds >= self.deadline) }
        while !self.held.isEmpty, milliseconds >= self.deadline, let reply = self.reply() {
            replies.append(reply)
            // It has just been there.
            self.lastHeard = milliseconds
        }
        return (replies, false)
    }

    /// The last reply, if a request is there for it. Nobody counts it any more, so it has no more than may wait anyway.
    package mutating func end() -> Reply? {
        if self.messages.reduce(0, { $0 + $1.count }) > self.limits.waitingBytesMax { self.messages = [] }
        return self.reply()
    }
}
