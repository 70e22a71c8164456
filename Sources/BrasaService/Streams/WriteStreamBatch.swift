import BrasaDocuments
import BrasaMessages
import BrasaStatus
import BrasaStore
import BrasaTransactions
import Synchronization

/// One batch of a Write stream: writes its answer down with it, and keeps what became of it until those before it are
/// answered.
///
/// Unchecked, because its state is used on the stream's event loop only.
final class WriteStreamBatch: CommitWitness, @unchecked Sendable {
    enum State {
        /// Nothing of it has happened: rules are asked.
        case judged
        /// With a ticket while it may wait for locks.
        case withEngine(RequestTicket?)
        /// It waits for the disk.
        case applied
        /// The log was full, of batches of this stream perhaps: tried again when it has none there.
        case postponed
        /// Answered as soon as those before it are; a status ends the stream.
        case settled(Result<WriteResponse, Status>)
    }

    /// Until they are applied.
    var writes: [Write]
    /// What the request took where it was read.
    let byteCount: Int
    /// About what its answer takes, and what its judgement keeps.
    var heldBytes: Int
    var state = State.judged
    private let record: WriteStreamRecord
    private let archive: AnswerArchive
    /// Of its receipt; zero while there is none.
    private let receiptPosition = Atomic<WriteStreamRecord.Position>(0)

    init(_ writes: [Write], byteCount: Int, record: WriteStreamRecord, archive: AnswerArchive) {
        self.writes = writes
        self.byteCount = byteCount
        // For each write a time, for each transform a number or a time.
        self.heldBytes = writes.reduce(64) { $0 + 24 + 16 * $1.transforms.count }
        self.record = record
        self.archive = archive
    }

    /// Of the receipt of its commit. One that waited for locks may lose it again, on another thread, until it is settled.
    var position: WriteStreamRecord.Position? {
        let position = self.receiptPosition.load(ordering: .acquiring)
        return position == 0 ? nil : position
    }

    var isSettled: Bool { if case .settled = self.state { true } else { false } }

    /// Whether the next one may begin.
    var isApplied: Bool {
        switch self.state {
        case .applied, .settled(.success): true
        case .judged, .withEngine, .postponed, .settled(.failure): false
        }
    }

    func receipt(for result: CommitResult) -> CommitReceipt {
        let receipt = self.record.receipt(at: result.commitTime) { position in
            self.archive.bytes(WriteResponse(result, position: position))
        }
        self.receiptPosition.store(receipt.position, ordering: .releasing)
        return receipt
    }

    func withdrawReceipt() {
        self.receiptPosition.store(0, ordering: .releasing)
        self.record.withdrawReceipt()
    }
}

extension WriteResponse {
    /// The answer to a batch.
    init(_ result: CommitResult, position: WriteStreamRecord.Position) {
        self.init(
            streamToken: WriteStreamRecord.token(position),
            writeResults: result.results.map(WriteResultMessage.init),
            commitTime: result.commitTime
        )
    }
}
