/// What recovery hands out, in order: the chunks of one checkpoint, or of several of which all but the last were void, then
/// the records after it. The bytes are borrowed from the reader's buffer and gone when the call returns.
package enum LogEntry {
    case checkpointChunk(UnsafeRawBufferPointer)
    /// The checkpoint is not whole: what was handed out so far is to be forgotten. Another one follows, or all records.
    case checkpointVoid
    case record(time: Int64, UnsafeRawBufferPointer)
}

/// Thrown by a replay closure that cannot accept an entry; the log adds the file and the offset.
package struct LogRejection: Error, Sendable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
