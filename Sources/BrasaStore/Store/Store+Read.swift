package import BrasaDocuments
package import BrasaQueries
import Synchronization

/// Reads of one moment, on any thread. A time comes from `strongReadTime`, or from a client by way of `checkReadTime`.
extension Store {
    /// Everything up to here is durable and visible.
    package var watermark: Timestamp { Timestamp(microseconds: self.commitClock.watermark) }

    /// The time of a read that sees every acknowledged commit. No later commit gets this time or an earlier one.
    package func strongReadTime() -> Timestamp { Timestamp(microseconds: self.commitClock.readTime()) }

    /// Reads before this may have lost versions.
    package var oldestReadTime: Timestamp { Timestamp(microseconds: self.documents.history.oldest) }

    /// Throws unless the state at this time is known and settled. `readTimeInFuture` says how far it is from that:
    /// a time that the clock has passed already gets there when the commits before it are durable.
    package func checkReadTime(_ time: Timestamp) throws(StoreError) {
        if time < self.creationTime { throw StoreError(.readTimeBeforeCreation) }
        try self.documents.history.check(time.microseconds)
        guard time.microseconds > self.commitClock.watermark else { return }
        let settled = self.commitClock.readTime(exactly: true)
        if time.microseconds > settled { throw StoreError(.readTimeInFuture(by: time.microseconds - settled)) }
    }

    /// Throws `readTimeTooOld` when versions of that time are gone.
    package func get(
        _ path: ResourcePath,
        in database: DatabaseHandle,
        at time: Timestamp
    ) throws(StoreError) -> Document? {
        let (shard, hash) = database.place(path)
        let document = shard.state.withLock { $0.find(path, hash: hash)?.document(at: time.microseconds) }
        try self.documents.history.check(time.microseconds)
        return document
    }

    /// With `showMissing`, which needs ascending order and a collection, also names without a document that have
    /// documents below them.
    package func scan(
        _ range: NameRange,
        in database: DatabaseHandle,
        at time: Timestamp,
        descending: Bool = false,
        showMissing: Bool = false
    ) throws(StoreError) -> NameScan {
        NameScan(
            database,
            scopes: ScanScope.scopes(of: range),
            pin: try self.pin(at: time),
            history: self.documents.history,
            isDescending: descending,
            showMissing: showMissing && !descending
        )
    }

    /// Keeps the versions of this time.
    package func pin(at time: Timestamp) throws(StoreError) -> SnapshotPin {
        try self.documents.history.pin(time.microseconds, isFirm: false)
    }

    /// The earliest time for `changes(after:)`.
    package var oldestChangesTime: Timestamp { Timestamp(microseconds: self.documents.changes.completeAfter) }

    /// The time of the newest commit that a read at `time` sees; nil when it is no longer known one by one.
    package func newestCommit(at time: Timestamp) -> Timestamp? {
        self.documents.changes.newestCommit(through: time.microseconds).map { Timestamp(microseconds: $0) }
    }

    /// The last settled time up to `end` at which a read sees that commit as the newest. Nil when there was no such
    /// commit, or it is no longer known one by one.
    package func lastTime(ofCommit time: Timestamp, upTo end: Timestamp) -> Timestamp? {
        let settled = min(end.microseconds, self.commitClock.watermark)
        return self.documents.changes.lastTime(ofCommit: time.microseconds, through: settled)
            .map { Timestamp(microseconds: $0) }
    }

    /// Up to about `limit` durable changes after `time`, in the order of their commits and whole commits only; the same
    /// document may occur more than once. Nil when some of them are no longer known one by one.
    package func changes(after time: Timestamp, limit: Int) -> [Change]? {
        self.documents.changes.changes(
            after: time.microseconds,
            through: self.commitClock.watermark,
            limit: limit
        )
    }
}
