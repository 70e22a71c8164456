internal import BrasaDocuments

/// What a snapshot shows for a field whose server time is not known yet.
public enum ServerTimestampBehavior: Int, Sendable {
    /// `NSNull`.
    case none = 0
    /// The local time of the write.
    case estimate = 1
    /// What the field held before; `NSNull` when there was nothing.
    case previous = 2
}

extension ServerTimestampBehavior {
    func value(of pending: PendingTimestamp) -> Value {
        switch self {
        case .none: .null
        case .estimate: .timestamp(pending.localWriteTime)
        case .previous: pending.previous ?? .null
        }
    }
}
