import BrasaDocuments
import BrasaLog

/// A commit on its way to the log. Each document's bytes are copied once, from the version into the group, and by the log's
/// thread: no other commit waits for that.
struct CommitRecord: LogPayload {
    private let changes: [DocumentChange]
    private let time: Int64
    let byteCount: Int

    init(_ changes: [DocumentChange], time: Int64) {
        var measure = RecordMeasure()
        measure.append(commit: changes, receipt: nil, time: time)
        self.changes = changes
        self.time = time
        self.byteCount = measure.byteCount
    }

    func write(into bytes: UnsafeMutableRawBufferPointer) {
        var cursor = RecordCursor(bytes)
        cursor.append(commit: self.changes, receipt: nil, time: self.time)
        precondition(cursor.isAtEnd, "a record is as long as it was measured")
    }
}

/// The same with a receipt: apart, so that one without fits where the log keeps it, and needs no memory of its own.
struct ReceiptedCommitRecord: LogPayload {
    private let changes: [DocumentChange]
    private let receipt: CommitReceipt
    private let time: Int64
    let byteCount: Int

    init(_ changes: [DocumentChange], _ receipt: CommitReceipt, time: Int64) {
        var measure = RecordMeasure()
        measure.append(commit: changes, receipt: receipt, time: time)
        self.changes = changes
        self.receipt = receipt
        self.time = time
        self.byteCount = measure.byteCount
    }

    func write(into bytes: UnsafeMutableRawBufferPointer) {
        var cursor = RecordCursor(bytes)
        cursor.append(commit: self.changes, receipt: self.receipt, time: self.time)
        precondition(cursor.isAtEnd, "a record is as long as it was measured")
    }
}
