package import BrasaDocuments
package import BrasaLog
import Synchronization

extension Store {
    /// One bounded slice of pruning; whether another one is due. A background step.
    package func maintain() -> Bool {
        let now = min(self.commitClock.readTime(), self.commitClock.wall)
        let hasPruned = self.documents.prune(now: now, historyBytesMax: self.historyBytesMax)
        let hasForgotten = self.forgetTreeSteps(now: now)
        self.settleTreeWills()
        return self.documents.forgetChanges(now: now) || hasForgotten || hasPruned
    }

    package var statistics: StoreStatistics {
        let databases = self.databases
        var statistics = StoreStatistics(
            watermark: self.watermark,
            appliedTime: self.appliedTime,
            databases: databases.count,
            memory: self.memory,
            memoryBytesMax: self.memoryBound.bytesMax,
            isMemoryFull: self.isMemoryFull,
            log: self.log.statistics,
            checkpoints: self.checkpointMeasures.withLock { $0 },
            commits: self.commitMeasures.commits,
            changes: self.commitMeasures.changes,
            refusals: CommitRefusal.allCases.map { ($0, self.commitMeasures.refusals($0)) },
            recentChanges: self.documents.changes.count,
            indexes: self.indexRegistry.counts,
            indexBytesMax: self.configuration.indexBytesMax
        )
        for database in databases {
            let counts = database.counts
            statistics.documents += counts.documents
            statistics.fieldBytes += counts.fieldBytes
            statistics.supersededVersions += counts.supersededVersions
            statistics.snapshotPins += database.history.pinCount
            statistics.oldestReadTime = max(statistics.oldestReadTime, self.oldestReadTime(in: database))
        }
        return statistics
    }
}

/// What a store holds, newest state, durable or not.
package struct StoreStatistics: Sendable {
    package let watermark: Timestamp
    /// Of the latest state, durable or not.
    package let appliedTime: Timestamp
    /// Every database can be read from here on.
    package var oldestReadTime = Timestamp.earliest
    /// With documents, with history, or held by somebody.
    package let databases: Int
    package var documents = 0
    package var fieldBytes = 0
    package var supersededVersions = 0
    package let memory: StoreMemory
    /// Nil: as much as there is.
    package let memoryBytesMax: Int?
    /// Commits that add something are refused.
    package let isMemoryFull: Bool
    package var snapshotPins = 0
    package let log: LogStatistics
    package let checkpoints: CheckpointMeasures
    package let commits: Int
    package let changes: Int
    package let refusals: [(reason: CommitRefusal, count: Int)]
    /// Changes that are remembered one by one.
    package let recentChanges: Int
    package let indexes: [IndexDescription.State: Int]
    package let indexBytesMax: Int

    package var historyBytes: Int { self.memory.history }
    package var logBytesSinceCheckpoint: Int { self.log.bytesSinceCheckpoint }
}
