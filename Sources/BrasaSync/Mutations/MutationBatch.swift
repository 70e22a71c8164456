package import BrasaDocuments

/// Ascending from 1.
package typealias BatchID = Int64

/// Writes that are to be committed together, not queued yet.
package struct PendingBatch: Sendable {
    /// The one "now" of all estimates.
    package let localWriteTime: Timestamp
    /// The values that incremented fields had when the write was made. Applied first when the batch is worked out again on a
    /// newer document, so that no increment shows twice; never sent.
    package let baseWrites: [Write]
    package let writes: [Write]

    package init(localWriteTime: Timestamp, baseWrites: [Write], writes: [Write]) {
        self.localWriteTime = localWriteTime
        self.baseWrites = baseWrites
        self.writes = writes
    }
}

/// Queued writes.
package struct MutationBatch: Sendable {
    package let id: BatchID
    package let localWriteTime: Timestamp
    package let baseWrites: [Write]
    package let writes: [Write]
    /// Of the writes, each once.
    package let paths: [ResourcePath]

    package init(id: BatchID, _ pending: PendingBatch) {
        self.id = id
        self.localWriteTime = pending.localWriteTime
        self.baseWrites = pending.baseWrites
        self.writes = pending.writes
        let paths = pending.writes.map(\.name.path)
        var seen: Set<ResourcePath> = []
        self.paths = paths.count > 1 ? paths.filter { seen.insert($0).inserted } : paths
    }

    /// What the whole batch makes of one document.
    func applyLocally(to document: inout SyncDocument, changes: FieldChanges) -> FieldChanges {
        var changes = changes
        for write in self.baseWrites where write.name.path == document.path {
            changes = write.applyLocally(to: &document, changes: changes, time: self.localWriteTime)
        }
        for write in self.writes where write.name.path == document.path {
            changes = write.applyLocally(to: &document, changes: changes, time: self.localWriteTime)
        }
        return changes
    }

    /// What the server made of one document, as far as we can tell.
    func applyAcknowledged(to document: inout SyncDocument, _ acknowledgement: Acknowledgement) {
        for (write, result) in zip(self.writes, acknowledgement.results) where write.name.path == document.path {
            write.applyAcknowledged(to: &document, result, commitTime: acknowledgement.commitTime)
        }
    }
}

/// The server's answer to a batch.
struct Acknowledgement: Sendable {
    let batch: MutationBatch
    let commitTime: Timestamp
    let results: [WriteResult]
    /// Of the answer, when its stream can be taken up again.
    let position: WriteStreamPosition?

    /// Nil when the answer does not fit the batch.
    init?(
        _ batch: MutationBatch,
        commitTime: Timestamp,
        results: [WriteResult],
        position: WriteStreamPosition? = nil
    ) {
        guard results.count == batch.writes.count else { return nil }
        for (write, result) in zip(batch.writes, results) where !result.transformResults.isEmpty {
            guard result.transformResults.count == write.transforms.count else { return nil }
        }
        self.batch = batch
        self.commitTime = commitTime
        self.results = results
        self.position = position
    }

    /// The version that the batch left a document at.
    func version(of path: ResourcePath) -> Timestamp {
        let last = self.batch.writes.lastIndex { $0.name.path == path }
        return last.map { self.results[$0].version(commitTime: self.commitTime) } ?? self.commitTime
    }
}

extension WriteResult {
    func version(commitTime: Timestamp) -> Timestamp {
        guard let updateTime = self.updateTime, updateTime != .zero else { return commitTime }
        return updateTime
    }
}
