import BrasaDocuments
import BrasaStore
import Synchronization

/// What is known of one Write stream, whatever becomes of its connection: who writes on it, whether the engine has a batch
/// of it, and the answers that its client may not have seen. With it a client whose connection broke learns which of its
/// batches were applied, instead of sending all of them again. The answers outlive the server as receipts of the commits.
final class WriteStreamRecord: Sendable {
    /// Counts the connections that a stream has had. Only the newest one writes.
    typealias Owner = UInt64
    /// Counts what a stream has said; a client hands it back as a token.
    typealias Position = UInt64

    /// Why nobody goes on with the stream.
    enum Refusal: Error {
        /// No such stream, or it is not known what came after that position.
        case unknown
        /// The log has failed, and with it this process: the next one will know.
        case lost
    }

    /// Behind the newest position that the client is known to have come to.
    struct Bounds: Sendable {
        var answers = 100
        /// The newest answer is kept, however large it is.
        var bytes = 1 << 20
    }

    private struct State {
        var owner: Owner = 1
        /// Tells the owner that it is not the owner any more.
        var fence: @Sendable () -> Void
        var newest: Position = 0
        /// Nobody wrote down what was said after the newest answer: up to here a client may be.
        var newestMax: Position = 0
        /// What was applied, durably, and answered or about to be. Oldest first.
        var answers: [CommitReceipt] = []
        var bytes = 0
        /// Of the newest batch that was applied.
        var newestAnswer: Position = 0
        /// Of the newest answer that is not kept any more.
        var forgotten: Position = 0
        /// Batches that were given to the engine and are not settled.
        var batches = 0
        /// Of those of them that were applied, or are about to be. Oldest first.
        var begun: [CommitReceipt] = []
        /// Nobody can say what became of a batch, before the next start.
        var isLost = false
        /// Waits for the batches that the engine has.
        var settled: (@Sendable () -> Void)?

        mutating func forget(through position: Position) {
            guard let first = self.answers.first, first.position <= position else { return }
            let kept = self.answers.firstIndex { $0.position > position } ?? self.answers.endIndex
            for answer in self.answers[..<kept] { self.bytes -= answer.answer.count }
            self.forgotten = self.answers[kept - 1].position
            self.answers.removeFirst(kept)
        }

        /// Whether all answers after this position are there.
        func knows(_ position: Position) -> Bool {
            position > 0 && position >= self.forgotten && position <= self.newestMax
        }

        /// The client has come to that position. When that is further than any answer that is left of it, there is a gap
        /// before it.
        mutating func goOn(after position: Position) {
            if position > self.newest {
                self.answers = []
                self.bytes = 0
                self.forgotten = position
                self.newestAnswer = position
                self.newest = position
            }
            self.newestMax = self.newest
        }

        mutating func nextPosition() -> Position {
            self.newest += 1
            self.newestMax = self.newest
            return self.newest
        }

        mutating func append(_ answer: CommitReceipt, _ bounds: Bounds) {
            self.answers.append(answer)
            self.bytes += answer.answer.count
            self.newestAnswer = answer.position
            while self.answers.count > bounds.answers || (self.answers.count > 1 && self.bytes > bounds.bytes) {
                self.forget(through: self.answers[0].position)
            }
        }
    }

    let id: UTF8Text
    let database: DatabaseName
    private let bounds: Bounds
    private let state: Mutex<State>

    static let firstOwner: Owner = 1

    init(id: UTF8Text, database: DatabaseName, bounds: Bounds, fence: @escaping @Sendable () -> Void) {
        self.id = id
        self.database = database
        self.bounds = bounds
        self.state = Mutex(State(fence: fence))
    }

    /// As a start has found it: the receipts of one stream in their order, at least one. Where one is missing, those before
    /// it tell nothing.
    init?(recovering receipts: [CommitReceipt], bounds: Bounds) {
        guard let newest = receipts.last else { return nil }
        self.id = newest.stream
        self.database = newest.database
        self.bounds = bounds
        var state = State(owner: Self.firstOwner, fence: {})
        for receipt in receipts {
            if receipt.previous != state.newestAnswer || state.answers.isEmpty {
                state.answers = []
                state.bytes = 0
                state.forgotten = receipt.previous
            }
            state.append(receipt, bounds)
        }
        state.newest = newest.position
        state.newestMax = newest.position + Self.unwrittenMax
        self.state = Mutex(state)
    }

    /// More is never said after a stream's last answer. The log has no positions above Int64.max, so nothing overflows.
    private static let unwrittenMax: Position = 1 << 32

    /// About how many bytes it takes.
    var bytes: Int { self.state.withLock { 512 + $0.bytes + 128 * $0.answers.count } }

    func isOwned(by owner: Owner) -> Bool { self.state.withLock { $0.owner == owner } }

    // MARK: Writing

    /// For the next thing that is said and is no answer to a batch.
    func nextPosition() -> Position { self.state.withLock { $0.nextPosition() } }

    /// The client has seen everything up to here. What is no position of this stream does not matter.
    func acknowledge(_ position: Position) {
        self.state.withLock { if $0.knows(position) { $0.forget(through: position) } }
    }

    /// Every batch that is given to the engine is settled. False: another connection has taken over.
    func begin(by owner: Owner) -> Bool {
        self.state.withLock {
            guard $0.owner == owner else { return false }
            $0.batches += 1
            return true
        }
    }

    /// The newest batch that the engine has is about to be applied; `answer` is for the position that it is given.
    func receipt(at time: Timestamp, answer: (Position) -> [UInt8]) -> CommitReceipt {
        self.state.withLock { state in
            let position = state.nextPosition()
            let receipt = CommitReceipt(
                database: self.database,
                stream: self.id,
                position: position,
                previous: state.begun.last?.position ?? state.newestAnswer,
                time: time,
                answer: answer(position)
            )
            state.begun.append(receipt)
            return receipt
        }
    }

    /// The newest batch was not applied after all.
    func withdrawReceipt() {
        self.state.withLock { _ = $0.begun.popLast() }
    }

    /// The batch was applied, durably, with the receipt of that position. Batches become durable in their order.
    func settleApplied(_ position: Position) {
        self.settle(position) { state, receipt in
            if let receipt { state.append(receipt, self.bounds) }
        }
    }

    /// The batch was not applied; if it had been, but is not durable, with the receipt of that position.
    func settleRefused(_ position: Position?) {
        self.settle(position) { _, _ in }
    }

    /// The batch may or may not have been applied: the stream cannot be taken up again by this process.
    func settleUnknown(_ position: Position?) {
        self.settle(position) { state, _ in state.isLost = true }
    }

    private func settle(_ position: Position?, _ change: (inout State, CommitReceipt?) -> Void) {
        let waiting = self.state.withLock { state in
            let begun = state.begun.firstIndex { $0.position == position }
            change(&state, begun.map { state.begun.remove(at: $0) })
            state.batches -= 1
            return state.batches == 0 ? state.settled.take() : nil
        }
        waiting?()
    }

    /// Of batches that were applied at or before `time`, when everything up to then is durable.
    func receipts(through time: Timestamp) -> [CommitReceipt] {
        self.state.withLock { state in
            (state.answers + state.begun).filter { $0.time <= time }
        }
    }

    // MARK: Taking over

    /// Another connection of the client goes on after this position. From now on the one before begins no batch.
    func takeOver(after position: Position, fence: @escaping @Sendable () -> Void) throws(Refusal) -> Owner {
        let (owner, earlier) = try self.state.withLock { state throws(Refusal) in
            guard !state.isLost else { throw .lost }
            guard state.knows(position) else { throw .unknown }
            state.goOn(after: position)
            state.owner += 1
            state.settled = nil
            let earlier = state.fence
            state.fence = fence
            return (state.owner, earlier)
        }
        earlier()
        return owner
    }

    /// True: no batch is with the engine, and none will be but the new owner's. Otherwise `perform` is called then, unless
    /// somebody else takes over before.
    func isSettled(for owner: Owner, otherwise perform: @escaping @Sendable () -> Void) -> Bool {
        self.state.withLock {
            guard $0.owner == owner, $0.batches > 0 else { return true }
            $0.settled = perform
            return false
        }
    }

    /// The answers after a position, once it is settled. `unknown` also when somebody else has taken over.
    func answers(after position: Position, for owner: Owner) throws(Refusal) -> [CommitReceipt] {
        try self.state.withLock { state throws(Refusal) in
            guard !state.isLost else { throw .lost }
            guard state.owner == owner, state.knows(position) else { throw .unknown }
            return state.answers.filter { $0.position > position }
        }
    }
}

extension WriteStreamRecord {
    static func token(_ position: Position) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: position >> Position($0)) }
    }

    /// Nil when it is none of ours.
    static func position(_ token: [UInt8]) -> Position? {
        guard token.count == 8 else { return nil }
        return token.reduce(0) { $0 << 8 | Position($1) }
    }
}
