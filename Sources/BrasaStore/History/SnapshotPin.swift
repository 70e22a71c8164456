package import BrasaDocuments

/// Keeps the versions that a reader at `time` sees for as long as it lives, beyond the history window. Not beyond the
/// bound on history's bytes: past it the oldest versions go, and a reader who then asks gets `readTimeTooOld`.
package final class SnapshotPin: Sendable {
    package let time: Timestamp
    private let history: ReadHistory
    private let id: UInt64

    init(time: Int64, id: UInt64, history: ReadHistory) {
        self.time = Timestamp(microseconds: time)
        self.id = id
        self.history = history
    }

    deinit { self.history.unpin(self.id) }
}
