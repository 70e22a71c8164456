internal import BrasaDocuments

/// A server timestamp that the server has not answered yet, as local documents hold it: a map that no user's data can
/// have.
struct PendingServerTimestamp {
    let localWriteTime: BrasaDocuments.Timestamp
    let previous: Value?

    /// Nil when the map is an ordinary one.
    init?(_ entries: [Value.MapEntry]) {
        guard entries.contains(where: { $0.key == "__type__" && $0.value == .string("server_timestamp") }),
            case .timestamp(let time)? = entries.first(where: { $0.key == "__local_write_time__" })?.value
        else { return nil }
        self.localWriteTime = time
        self.previous = entries.first { $0.key == "__previous_value__" }?.value
    }

    func value(_ behavior: ServerTimestampBehavior) -> Value {
        switch behavior {
        case .none: .null
        case .estimate: .timestamp(self.localWriteTime)
        case .previous: self.previous ?? .null
        }
    }
}
