import BrasaMessages
import BrasaStatus
import BrasaStore

/// What a Write stream owes its client, in the order of the requests. Only the newest batch may not be applied yet; those
/// before it wait for the disk.
struct WriteStreamTurns {
    enum Turn {
        case batch(WriteStreamBatch)
        case answer(WriteResponse)
        case end(Status)
    }

    /// What is said next.
    enum Settled {
        case answer(WriteResponse)
        case end(Status)
    }

    /// Batches of one stream that wait for the disk, and what is said behind them. With 64, the thread that syncs has the
    /// next ones when it is done; the bytes keep one stream from filling the log's queue, which all share.
    static let turnsMax = 64
    static let bytesMax = 64 << 10

    private var turns: [Turn] = []
    private var batches = 0
    private var byteCount = 0
    /// What is held for batches that are not answered.
    private(set) var heldBytes = 0

    /// Whether another request may be taken.
    var hasRoom: Bool {
        switch self.turns.last {
        case .end: false
        case .batch(let newest) where !newest.isApplied: false
        case .batch, .answer, nil: self.turns.count < Self.turnsMax && self.byteCount < Self.bytesMax
        }
    }

    /// Whether there are batches whose outcome nobody was told of.
    var hasBatches: Bool { self.batches > 0 }

    /// Whether something may happen that the client has not been told of.
    var hasOpenOutcome: Bool {
        guard case .batch(let first) = self.turns.first else { return false }
        return switch first.state {
        case .withEngine, .applied: true
        case .judged, .postponed, .settled: false
        }
    }

    /// Whether all that was asked for before the batch is settled.
    func isFirst(_ batch: WriteStreamBatch) -> Bool {
        if case .batch(let first) = self.turns.first { first === batch } else { false }
    }

    /// The only one that may not be applied.
    var newest: WriteStreamBatch? {
        for case .batch(let newest) in self.turns.reversed() { return newest }
        return nil
    }

    mutating func append(_ turn: Turn) {
        if case .batch(let batch) = turn { self.count(batch, 1) }
        self.turns.append(turn)
    }

    /// Counts what the judgement of a batch keeps from one turn to the next, or keeps no longer.
    mutating func hold(_ bytes: Int, for batch: WriteStreamBatch) {
        batch.heldBytes += bytes
        self.heldBytes += bytes
    }

    /// Takes out a batch that nobody is to hear of.
    mutating func remove(_ batch: WriteStreamBatch) {
        let index = self.turns.lastIndex { if case .batch(let other) = $0 { other === batch } else { false } }
        guard let index else { return }
        self.turns.remove(at: index)
        self.count(batch, -1)
    }

    /// Nobody is told anything any more: what is left are batches that are not settled.
    mutating func close() {
        for case .batch(let batch) in self.turns where batch.isSettled { self.count(batch, -1) }
        self.turns.removeAll { if case .batch(let batch) = $0 { batch.isSettled } else { true } }
    }

    /// Nil while the next one is not settled, or there is none.
    mutating func nextSettled() -> Settled? {
        guard let first = self.turns.first else { return nil }
        let settled: Settled
        switch first {
        case .answer(let response): settled = .answer(response)
        case .end(let status): settled = .end(status)
        case .batch(let batch):
            guard case .settled(let outcome) = batch.state else { return nil }
            self.count(batch, -1)
            switch outcome {
            case .success(let response): settled = .answer(response)
            case .failure(let status): settled = .end(status)
            }
        }
        self.turns.removeFirst()
        return settled
    }

    private mutating func count(_ batch: WriteStreamBatch, _ sign: Int) {
        self.batches += sign
        self.byteCount += sign * batch.byteCount
        self.heldBytes += sign * batch.heldBytes
    }
}
