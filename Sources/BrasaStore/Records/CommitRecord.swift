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
        measure.append(commit: changes, time: time)
        self.changes = changes
        self.time = time
        self.byteCount = measure.byteCount
    }

    func write(into bytes: UnsafeMutableRawBufferPointer) {
        var cursor = RecordCursor(bytes)
        cursor.append(commit: self.changes, time: self.time)
        precondition(cursor.isAtEnd, "a record is as long as it was measured")
    }
}

/// The same with a receipt, or with what the documents were before: apart, so that one without fits where the log keeps it,
/// and needs no memory of its own.
struct DetailedCommitRecord: LogPayload {
    private let changes: [DocumentChange]
    private let receipt: CommitReceipt?
    /// One for each change, or none at all.
    private let images: [RecordedImage]
    private let time: Int64
    let byteCount: Int

    /// Images that would make the record longer than `bytesMax` are left out, which it says.
    init(_ changes: [DocumentChange], _ receipt: CommitReceipt?, _ images: [BeforeImage?], time: Int64, bytesMax: Int) {
        var measure = RecordMeasure()
        measure.append(commit: changes, receipt: receipt, time: time)
        var kept: [RecordedImage] = []
        for image in images {
            guard let image else {
                kept.append(.none)
                continue
            }
            var longer = measure
            longer.append(image, time: time)
            let fits = longer.byteCount <= bytesMax
            if fits { measure = longer }
            kept.append(fits ? .kept(image) : .leftOut)
        }
        self.changes = changes
        self.receipt = receipt
        self.images = kept
        self.time = time
        self.byteCount = measure.byteCount
    }

    func write(into bytes: UnsafeMutableRawBufferPointer) {
        var cursor = RecordCursor(bytes)
        cursor.append(commit: self.changes, receipt: self.receipt, images: self.images, time: self.time)
        precondition(cursor.isAtEnd, "a record is as long as it was measured")
    }
}
