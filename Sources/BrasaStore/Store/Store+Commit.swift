package import BrasaDocuments
package import BrasaLog
import Synchronization

/// The writer's section: its caller makes sure that one thread at a time is here.
extension Store {
    /// The changes of one commit together are smaller than this.
    package var commitBytesMax: Int { self.configuration.log.recordBytesMax }

    /// The document's newest version, which may be above the watermark still.
    package func latest(_ path: ResourcePath, in database: DatabaseHandle) -> Document? {
        let (shard, hash) = database.place(path)
        return shard.state.withLock { $0.find(path, hash: hash)?.document(at: .max) }
    }

    /// The time of the newest version or deletion; nil when there never was one, or its deletion is out of history.
    package func latestTime(_ path: ResourcePath, in database: DatabaseHandle) -> Timestamp? {
        let (shard, hash) = database.place(path)
        let time = shard.state.withLock { $0.find(path, hash: hash)?.time }
        return time.map { Timestamp(microseconds: $0) }
    }

    /// Whether the document has another version than at `time`, or was deleted since. Also true when nobody knows any more:
    /// where there is nothing now, there may have been a document at that time whose deletion is out of history.
    package func mayHaveChanged(_ path: ResourcePath, in database: DatabaseHandle, since time: Timestamp) -> Bool {
        // In this order: `oldest` rises before a deletion is forgotten.
        if let latest = self.latestTime(path, in: database) { return latest > time }
        return self.oldestReadTime(in: database) > time
    }

    /// Like `changes(after:in:limit:)`, with those that are not durable yet.
    package func appliedChanges(after time: Timestamp, in database: DatabaseHandle, limit: Int) -> [Change]? {
        self.documents.changes.changes(after: time.microseconds, through: .max, in: database, limit: limit)
    }

    /// Commits the changes at one time, later than all before; each document at most once. The waiter hears when the
    /// commit is durable, and readers see it from then on. When this throws, nothing was changed and no waiter hears.
    ///
    /// The versions are there before the log has the record: the log may make it durable, and so visible, at any moment
    /// after. No changes: a time is given out and the waiter hears when all commits before are durable.
    package func apply(changes: [DocumentChange], waiter: LogWaiter?) throws(StoreError) -> Timestamp {
        guard !changes.isEmpty else {
            if let waiter { self.log.barrier(through: .max, waiter) }
            return self.passingTime()
        }
        let stamp = self.stamp()
        do throws(StoreError) {
            try self.apply(changes: changes, at: stamp, waiter: waiter)
        } catch {
            self.withdraw(stamp)
            throw error
        }
        return stamp.time
    }

    /// The time of the next commit, so that what is committed may depend on it. Until it is applied or withdrawn, reads
    /// see no further than what was applied before. It is `passing`, given out before, if no time was given out since.
    package func stamp(preferring passing: Timestamp? = nil) -> CommitStamp {
        let (time, before) = self.commitClock.stamp(preferring: passing?.microseconds)
        return CommitStamp(time: Timestamp(microseconds: time), before: before)
    }

    /// A time after all that were given out so far, for something that need not become durable.
    package func passingTime() -> Timestamp { Timestamp(microseconds: self.commitClock.passingTime()) }

    /// Nothing is committed at this time.
    package func withdraw(_ stamp: CommitStamp) {
        self.commitClock.withdraw(before: stamp.before)
    }

    /// Like `apply(changes:waiter:)`, at a time already given out. There is at least one change, or a receipt. When this
    /// throws, nothing was changed, and the stamp has to be withdrawn.
    package func apply(
        changes: [DocumentChange],
        receipt: CommitReceipt? = nil,
        at stamp: CommitStamp,
        waiter: LogWaiter?
    ) throws(StoreError) {
        do throws(StoreError) {
            try self.checkMemory(for: changes)
            try self.add(changes, receipt, at: stamp, waiter)
        } catch {
            self.commitMeasures.refused(error.code)
            throw error
        }
        self.commitMeasures.committed(changes: changes.count)
    }

    private func add(
        _ changes: [DocumentChange],
        _ receipt: CommitReceipt?,
        at stamp: CommitStamp,
        _ waiter: LogWaiter?
    ) throws(StoreError) {
        let time = stamp.time.microseconds
        let images = self.documents.add(changes, time: time)
        let record: any LogPayload
        if receipt == nil, images.isEmpty {
            record = CommitRecord(changes, time: time)
        } else {
            let bytesMax = self.configuration.log.recordBytesMax
            record = DetailedCommitRecord(changes, receipt, images, time: time, bytesMax: bytesMax)
        }
        do throws(LogError) {
            try self.log.append(time: time, record: record, waiter: waiter)
        } catch {
            self.documents.takeBack(changes, time: time)
            throw StoreError(refused: error)
        }
    }

    /// The state of this time is the latest one, durable or not, and no later commit gets it or an earlier one.
    package var appliedTime: Timestamp {
        Timestamp(microseconds: max(self.commitClock.lastCommit, self.commitClock.watermark))
    }

    /// What the clock says, or the latest state's time where the clock has stepped back.
    package var presentTime: Timestamp {
        Timestamp(microseconds: max(self.appliedTime.microseconds, self.commitClock.wall))
    }

    /// The waiter hears when the state of `time`, an `appliedTime`, is durable, also when the log fails after that.
    package func barrier(through time: Timestamp, _ waiter: LogWaiter) {
        // Above the newest record when reads have moved the watermark.
        if time <= self.watermark { return waiter.complete(.success(())) }
        self.log.barrier(through: time.microseconds, waiter)
    }
}

extension Store {
    /// How far clearing a database has come.
    package struct ClearPosition: Sendable {
        fileprivate let path: PathPosition

        package static let start = ClearPosition(path: .start)
    }

    /// Deletes all documents of a database, in commits of bounded size: when this throws, a part may be deleted. The
    /// waiter hears when all are durable.
    package func clear(_ database: DatabaseHandle, waiter: LogWaiter?) throws(StoreError) -> Timestamp {
        var position: ClearPosition? = .start
        while let from = position { position = try self.clear(database, from: from) }
        return try self.apply(changes: [], waiter: waiter)
    }

    /// One commit of it; where to go on, nil at the end.
    package func clear(
        _ database: DatabaseHandle,
        from position: ClearPosition
    ) throws(StoreError) -> ClearPosition? {
        let part = database.order.withLock {
            $0.ascending(
                .everything,
                from: position.path,
                at: .max,
                showMissing: false,
                budget: ScanBudget(entries: ScanBudget.stepsMax)
            )
        }
        let deletions = part.found.map { DocumentChange(database: database, path: $0.path, outcome: .delete) }
        if !deletions.isEmpty { _ = try self.apply(changes: deletions, waiter: nil) }
        return part.resume.map { ClearPosition(path: $0) }
    }
}
