import BrasaStore
import BrasaTransactions
package import BrasaTree
import BrasaTreeEngine
import BrasaTreeJudging

/// What a session leaves to be written at its end. The store has the same, durable, so that it is written as well when the
/// process ends first.
struct TreeLeaving {
    /// As whom it is written; nil: it is not.
    var caller: TreeCaller?
    fileprivate var queue = DisconnectQueue()
    /// What the store knows it by; nil: nothing is left.
    fileprivate var will: TreeWillID?
    /// As the store has it.
    fileprivate var author: [UInt8] = []

    /// What there is to be done at the end; nil: nothing.
    mutating func part(from tree: TreeHandle, done: @escaping @Sendable () -> Void) -> TreeParting? {
        guard let will = self.will.take() else { return nil }
        defer { self.queue = DisconnectQueue() }
        return TreeParting(will, of: tree, self.queue.writes, by: self.caller, done: done)
    }
}

/// What came of a write that is to wait for the session's end, or of taking one back.
package enum TreeLeaveResult: Hashable, Sendable {
    /// Durable.
    case kept
    case denied
    /// It would be more than a session may leave.
    case tooMuch
    case failed(TreeWriteResult.Failure, String)
}

extension TreeSession {
    /// Keeps a write for the end, if it would be allowed now. From then on it counts; it is answered when it is durable.
    package func writeOnDisconnect(
        _ write: TreeWrite,
        then answer: @escaping @Sendable (TreeLeaveResult) -> Void
    ) {
        guard !self.hasEnded, let writer = self.writer, self.mayLeave(write, writer) else { return answer(.denied) }
        guard !write.assignments.isEmpty else { return self.confirm(answer) }
        var queue = self.leaving.queue
        queue.add(write)
        guard queue.count <= self.limits.disconnectPlacementsMax, queue.bytes <= self.limits.disconnectBytesMax else {
            return answer(.tooMuch)
        }
        self.leave(queue, by: .add(write), then: answer)
    }

    /// Takes back what would be written at a place and beneath, or a priority alone.
    package func cancelOnDisconnect(
        at place: TreeLocation,
        then answer: @escaping @Sendable (TreeLeaveResult) -> Void
    ) {
        guard !self.hasEnded else { return answer(.denied) }
        let limit = self.limits.disconnectPlacementsMax
        guard let count = self.leaving.queue.count(cancelling: place, upTo: limit) else { return self.confirm(answer) }
        // A set of which a part is taken back becomes many writes.
        guard count <= limit else { return answer(.tooMuch) }
        var queue = self.leaving.queue
        queue.cancel(at: place)
        self.leave(queue, by: .cancel(place), then: answer)
    }

    /// What is kept for the end takes so much memory.
    package var disconnectBytes: Int { self.leaving.queue.keptBytes }
    /// And has so many places, which each request about it goes through.
    package var disconnectPlaces: Int { self.leaving.queue.count }

    private func mayLeave(_ write: TreeWrite, _ writer: TreeCaller) -> Bool {
        guard writer != .administrator else { return true }
        let root = self.watcher.store.root(of: self.tree).root
        let milliseconds = self.watcher.milliseconds
        // A priority may be of a node that will be there at the end, when it is judged again.
        guard let change = try? write.resolved(in: root, milliseconds: milliseconds) else { return true }
        let after = self.watcher.rules.allowed(
            change,
            to: self.tree.name,
            from: root,
            by: writer,
            milliseconds: milliseconds
        )
        return after != nil
    }

    /// Leaves that instead of what it left.
    private func leave(
        _ queue: DisconnectQueue,
        by change: TreeWillChange,
        then answer: @escaping @Sendable (TreeLeaveResult) -> Void
    ) {
        guard queue.placements <= TreeLimits.placementsMax else { return answer(.tooMuch) }
        let reply = Reply<Void>(mailbox: self.watcher.mailbox) { answer(TreeLeaveResult($0)) }
        guard queue.isEmpty, let will = self.leaving.will else { return self.note(queue, [change], reply) }
        let step = TreeWillStep(forgetting: will, in: self.tree)
        guard self.watcher.transactions.leave(step, reply: reply) != nil else { return }
        self.leaving.queue = queue
        self.leaving.will = nil
    }

    private func note(_ queue: DisconnectQueue, _ changes: [TreeWillChange], _ reply: Reply<Void>) {
        let author = TreeCaller.author(self.leaving.caller)
        let isKnown = self.leaving.will != nil && self.leaving.author == author
        let step = TreeWillStep(
            isKnown ? changes : [.author(author)] + changes,
            of: self.leaving.will,
            in: self.tree,
            keptBytes: TreeWill.keptBytes(queue, author: author)
        )
        guard let will = self.watcher.transactions.leave(step, reply: reply) else { return }
        (self.leaving.queue, self.leaving.will, self.leaving.author) = (queue, will, author)
    }

    /// It changes nothing; what was noted before may not be durable yet, and as whom it asks not noted.
    private func confirm(_ answer: @escaping @Sendable (TreeLeaveResult) -> Void) {
        let reply = Reply<Void>(mailbox: self.watcher.mailbox) { answer(TreeLeaveResult($0)) }
        guard !self.isLeaverUnnoted else { return self.note(self.leaving.queue, [], reply) }
        let store = self.watcher.store
        let waiter = Store.waiter(on: reply.mailbox) { outcome in
            guard let error = outcome.storeError else { return reply.complete(.success(())) }
            reply.complete(.failure(.outcomeUnknown(reason: error.description)))
        }
        store.barrier(through: store.appliedTime, waiter)
    }

    /// It asks as somebody else. Where that cannot be noted, the next step does it.
    func noteLeaver() {
        guard self.isLeaverUnnoted else { return }
        self.note(self.leaving.queue, [], Reply(mailbox: self.watcher.mailbox) { _ in })
    }

    private var isLeaverUnnoted: Bool {
        self.leaving.will != nil && self.leaving.author != TreeCaller.author(self.leaving.caller)
    }
}

extension TreeLeaveResult {
    fileprivate init(_ result: Result<Void, TransactionError>) {
        switch result {
        case .success: self = .kept
        case .failure(let error): self = .failed(TreeWriteResult.Failure(error), error.message)
        }
    }
}
