package import BrasaDocuments
import BrasaLog

extension Store {
    /// One bounded slice of pruning; whether another one is due. A background step.
    package func maintain() -> Bool {
        self.documents.prune(
            now: min(self.commitClock.readTime(), self.commitClock.wall),
            historyBytesMax: self.historyBytesMax
        )
    }

    package var statistics: StoreStatistics {
        let databases = self.databases
        var statistics = StoreStatistics(
            watermark: self.watermark,
            oldestReadTime: self.oldestReadTime,
            databases: databases.count,
            memory: self.memory,
            memoryBytesMax: self.configuration.memoryBytesMax,
            isMemoryFull: self.isMemoryFull,
            snapshotPins: self.documents.history.pinCount,
            logBytesSinceCheckpoint: self.log.bytesSinceCheckpoint
        )
        for database in databases {
            let counts = database.counts
            statistics.documents += counts.documents
            statistics.fieldBytes += counts.fieldBytes
            statistics.supersededVersions += counts.supersededVersions
        }
        return statistics
    }
}

/// What a store holds, newest state, durable or not.
package struct StoreStatistics: Sendable {
    package let watermark: Timestamp
    package let oldestReadTime: Timestamp
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
    package let snapshotPins: Int
    package let logBytesSinceCheckpoint: Int

    package var historyBytes: Int { self.memory.history }
}
