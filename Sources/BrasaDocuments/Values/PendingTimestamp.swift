/// What a client holds in the place of a server timestamp that it has written and the server has not acknowledged yet.
/// It is kept as a map whose first key is `__type__`, as a vector is, so that to masks and field paths it is one value
/// with nothing inside; no message can bring such a map, since every check of wire bytes refuses it.
package struct PendingTimestamp: Sendable {
    /// When the write was made: its place among other pending ones, and the estimate of the value.
    package let localWriteTime: Timestamp
    /// The last value that was not pending itself.
    package let previous: Value?

    package init(localWriteTime: Timestamp, replacing previous: Value?) {
        self.localWriteTime = localWriteTime
        self.previous = previous?.pendingTimestamp.map(\.previous) ?? previous
    }

    private static let typeKey: UTF8Text = "__type__"
    private static let mark: UTF8Text = "server_timestamp"
    private static let timeKey: UTF8Text = "local_write_time"
    private static let previousKey: UTF8Text = "previous_value"

    package var value: Value {
        var entries = [
            Value.MapEntry(key: Self.typeKey, value: .string(Self.mark)),
            Value.MapEntry(key: Self.timeKey, value: .timestamp(self.localWriteTime)),
        ]
        if let previous = self.previous { entries.append(Value.MapEntry(key: Self.previousKey, value: previous)) }
        return .map(entries)
    }

    /// Nil for the entries of any other map.
    init?(entries: [Value.MapEntry]) {
        guard let first = entries.first, first.key == Self.typeKey, case .string(Self.mark) = first.value,
            entries.count > 1, case .timestamp(let time) = entries[1].value
        else { return nil }
        self.localWriteTime = time
        self.previous = entries.count > 2 ? entries[2].value : nil
    }
}

extension Value {
    /// Nil for every value that is no pending timestamp.
    package var pendingTimestamp: PendingTimestamp? {
        if case .map(let entries) = self { PendingTimestamp(entries: entries) } else { nil }
    }
}
