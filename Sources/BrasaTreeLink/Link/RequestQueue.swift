import BrasaTree
import BrasaTreeWire

/// Requests in the order in which they were made: those that were sent and have no answer, then those that wait to be.
struct RequestQueue: Sendable {
    struct Entry: Sendable {
        let number: Int64
        let request: LinkRequest
        /// Of the message, once it was sent.
        var bytes = 0
    }

    /// They go on over connections.
    private(set) var lastNumber: Int64 = 0
    private var sent: [Int64: Entry] = [:]
    private(set) var sentBytes = 0
    private var waiting: [Entry] = []
    /// Of those that waited, how many have gone: they are removed many at a time.
    private var goneCount = 0
    /// The newest listen of each target that is to be answered: answers to others are out of date.
    private(set) var listens: [TreeTarget: Int64] = [:]

    var sentCount: Int { self.sent.count }

    mutating func nextNumber() -> Int64 {
        self.lastNumber += 1
        return self.lastNumber
    }

    mutating func append(_ request: LinkRequest) {
        let entry = Entry(number: self.nextNumber(), request: request)
        self.note(entry)
        self.waiting.append(entry)
    }

    private mutating func note(_ entry: Entry) {
        switch entry.request {
        case .listen(let target, _, _, _): self.listens[target] = entry.number
        case .unlisten(let target, _): self.listens[target] = nil
        default: break
        }
    }

    var next: Entry? { self.goneCount < self.waiting.count ? self.waiting[self.goneCount] : nil }

    /// The next one was sent, or is not to be.
    mutating func takeNext(bytes: Int?) {
        guard var entry = self.next else { return }
        self.goneCount += 1
        if self.goneCount > self.waiting.count / 2 {
            self.waiting.removeFirst(self.goneCount)
            self.goneCount = 0
        }
        guard let bytes else {
            if case .listen(let target, _, _, _) = entry.request, self.listens[target] == entry.number {
                self.listens[target] = nil
            }
            return
        }
        entry.bytes = bytes
        self.sent[entry.number] = entry
        self.sentBytes += bytes
    }

    /// What an answer is to. Nil where nobody waits for it.
    mutating func answer(_ number: Int64) -> LinkRequest? {
        guard let entry = self.sent.removeValue(forKey: number) else { return nil }
        self.sentBytes -= entry.bytes
        if case .listen(let target, _, _, _) = entry.request {
            guard self.listens[target] == number else { return nil }
            self.listens[target] = nil
        }
        return entry.request
    }

    /// The connection has gone. Gives the transactions that were not sent.
    mutating func lose() -> Set<Int> {
        let sent = self.sent.values.filter(\.request.outlivesConnection).sorted { $0.number < $1.number }
        var unsent: Set<Int> = []
        let waiting = self.waiting.dropFirst(self.goneCount).filter { entry in
            guard case .transaction(let put, _, _) = entry.request else { return entry.request.outlivesConnection }
            unsent.insert(put)
            return true
        }
        self.replace(sent + waiting)
        return unsent
    }

    /// Puts listens before everything else.
    mutating func prepend(_ requests: [LinkRequest]) {
        let rest = self.waiting.dropFirst(self.goneCount)
        self.replace(requests.map { Entry(number: 0, request: $0) } + rest)
    }

    /// With numbers of their own. Nothing is sent at this time.
    private mutating func replace(_ entries: some Sequence<Entry>) {
        (self.sent, self.sentBytes, self.waiting, self.goneCount, self.listens) = ([:], 0, [], 0, [:])
        for entry in entries { self.append(entry.request) }
    }

    /// Answers to those that were sent are not waited for any more.
    mutating func remove(where condition: (LinkRequest) -> Bool) -> [LinkRequest] {
        var removed = self.sent.values.filter { condition($0.request) }.sorted { $0.number < $1.number }
        for entry in removed {
            self.sent[entry.number] = nil
            self.sentBytes -= entry.bytes
        }
        let rest = self.waiting.dropFirst(self.goneCount)
        removed += rest.filter { condition($0.request) }
        self.waiting = rest.filter { !condition($0.request) }
        self.goneCount = 0
        return removed.map(\.request)
    }
}
