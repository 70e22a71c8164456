package import BrasaDocuments
package import BrasaQueries
import Synchronization

/// Reads of one moment, on any thread. A time comes from `strongReadTime`, or from a client by way of `checkReadTime`.
extension Store {
    /// Everything up to here is durable and visible.
    package var watermark: Timestamp { Timestamp(microseconds: self.commitClock.watermark) }

    /// The time of a read that sees every acknowledged commit. No later commit gets this time or an earlier one.
    package func strongReadTime() -> Timestamp { Timestamp(microseconds: self.commitClock.readTime()) }

    /// Reads of the database before this may have lost versions.
    package func oldestReadTime(in database: DatabaseHandle) -> Timestamp {
        Timestamp(microseconds: database.history.oldest)
    }

    /// Throws unless the state of the database at this time is known and settled. `readTimeInFuture` says how far it is from that:
    /// a time that the clock has passed already gets there when the commits before it are durable.
    package func checkReadTime(_ time: Timestamp, in database: DatabaseHandle) throws(StoreError) {
        if time < self.creationTime { throw StoreError(.readTimeBeforeCreation) }
        try database.history.check(time.microseconds)
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
        try database.history.check(time.microseconds)
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
            pin: try self.pin(at: time, in: database),
            history: database.history,
            isDescending: descending,
            showMissing: showMissing && !descending
        )
    }

    /// Keeps the versions of this time.
    package func pin(at time: Timestamp, in database: DatabaseHandle) throws(StoreError) -> SnapshotPin {
        try database.history.pin(time.microseconds, isFirm: false)
    }

    /// The earliest time for `changes(after:in:)`.
    package func oldestChangesTime(in database: DatabaseHandle) -> Timestamp {
        Timestamp(microseconds: self.documents.changes.completeAfter(in: database))
    }

    /// The time of the database's newest commit that a read at `time` sees; nil when it is no longer known one by one.
    package func newestCommit(at time: Timestamp, in database: DatabaseHandle) -> Timestamp? {
        self.documents.changes.newestCommit(through: time.microseconds, in: database)
            .map { Timestamp(microseconds: $0) }
    }

    /// The last settled time at which the database is as it was at `time`; nil when that is not settled, or its changes
    /// since are no longer known one by one.
    package func lastTime(as time: Timestamp, in database: DatabaseHandle) -> Timestamp? {
        self.documents.changes.lastTime(
            as: time.microseconds,
            in: database,
            through: self.commitClock.watermark
        ).map { Timestamp(microseconds: $0) }
    }

    /// The same for the time of a commit of the database; nil when there was no such commit, too.
    package func lastTime(ofCommit time: Timestamp, in database: DatabaseHandle) -> Timestamp? {
        self.documents.changes.lastTime(
            ofCommit: time.microseconds,
            in: database,
            through: self.commitClock.watermark
        ).map { Timestamp(microseconds: $0) }
    }

    /// Up to about `limit` durable changes of the database after `time`, in the order of their commits and whole commits
    /// only; the same document may occur more than once. Nil when some of them are no longer known one by one.
    package func changes(after time: Timestamp, in database: DatabaseHandle, limit: Int) -> [Change]? {
        self.documents.changes.changes(
            after: time.microseconds,
            through: self.commitClock.watermark,
            in: database,
            limit: limit
        )
    }

    /// The same of several databases.
    package func changes(after time: Timestamp, in databases: Set<DatabaseHandle>, limit: Int) -> [Change]? {
        self.documents.changes.changes(
            after: time.microseconds,
            through: self.commitClock.watermark,
            in: databases,
            limit: limit
        )
    }
}
