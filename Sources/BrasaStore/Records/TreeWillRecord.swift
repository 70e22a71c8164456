import BrasaLog

/// The first byte of a step in what a session leaves.
enum WillStepKind: UInt8 {
    case add = 0
    case cancel = 1
    case author = 2
    case forget = 3
    case cancelPriority = 4
}

/// A step in what a session leaves on its way to the log. Its bytes were made before.
struct TreeWillRecord: LogPayload {
    private let step: TreeWillStep
    private let time: Int64
    let byteCount: Int

    init(_ step: TreeWillStep, time: Int64) {
        var measure = RecordMeasure()
        measure.append(step, time: time)
        self.step = step
        self.time = time
        self.byteCount = measure.byteCount
    }

    func write(into bytes: UnsafeMutableRawBufferPointer) {
        var cursor = RecordCursor(bytes)
        cursor.append(self.step, time: self.time)
        precondition(cursor.isAtEnd, "a record is as long as it was measured")
    }
}
