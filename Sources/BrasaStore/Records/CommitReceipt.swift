package import BrasaDocuments

/// Kept with a commit for a client that may have lost the answer, and asks later what became of it: durable exactly when
/// the commit is.
package struct CommitReceipt: Sendable, Equatable {
    package let database: DatabaseName
    /// Commits of one client, in their order.
    package let stream: UTF8Text
    /// Grows from commit to commit of the stream.
    package let position: UInt64
    /// Of the stream's commit before this one; smaller than `position`, and zero for the first.
    package let previous: UInt64
    /// The commit's.
    package let time: Timestamp
    /// For the client. The store does not look into it.
    package let answer: [UInt8]

    package init(
        database: DatabaseName,
        stream: UTF8Text,
        position: UInt64,
        previous: UInt64,
        time: Timestamp,
        answer: [UInt8]
    ) {
        self.database = database
        self.stream = stream
        self.position = position
        self.previous = previous
        self.time = time
        self.answer = answer
    }
}

/// Has the receipts while the store is open. The store only writes them down, with commits and in checkpoints.
package protocol ReceiptKeeper: Sendable {
    /// What a start has found, each stream's in their order. The oldest may be missing.
    func recovered(_ receipts: [CommitReceipt])

    /// Those of commits at or before `time`, for a checkpoint; all such commits are durable. What is left out is forgotten by
    /// the next start. Called on any thread, while no lock of the store is held.
    func receipts(through time: Timestamp) -> [CommitReceipt]
}

/// The newest receipts of those that a start reads, in the order of reading: there may be more in a long log than are worth
/// their memory.
struct RecoveredReceipts {
    private var receipts = FirstInFirstOut<CommitReceipt>()
    private var bytes = 0
    private let bytesMax: Int

    init(bytesMax: Int = 64 << 20) {
        self.bytesMax = bytesMax
    }

    mutating func append(_ receipt: CommitReceipt) {
        self.receipts.append(receipt)
        self.bytes += receipt.recoveredBytes
        while self.bytes > self.bytesMax, let oldest = self.receipts.popFirst() { self.bytes -= oldest.recoveredBytes }
    }

    var last: CommitReceipt? { self.receipts.isEmpty ? nil : self.receipts[self.receipts.count - 1] }

    var all: [CommitReceipt] { (0..<self.receipts.count).map { self.receipts[$0] } }
}

extension CommitReceipt {
    /// About what it takes in memory.
    fileprivate var recoveredBytes: Int { 160 + self.answer.count }
}
