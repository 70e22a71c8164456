package import BrasaMeasures
import Synchronization

/// What the log's thread counts of the groups that it writes.
struct GroupMeasures: Sendable {
    let records = Histogram(HistogramShape(bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]))
    let bytes = Histogram(HistogramShape(bounds: (9...23).filter { $0 % 2 == 1 }.map { 1 << $0 }))
    let durations = Histogram(.durations)
}

package struct LogStatistics: Sendable {
    /// Records of each group that was written and synced as one.
    package let groupRecords: HistogramValues
    package let groupBytes: HistogramValues
    /// How long that took.
    package let groupDurations: HistogramValues
    /// Appended, and neither durable nor failed.
    package let queuedRecords: Int
    package let queuedBytes: Int
    /// Files that a restart would read beside the newest checkpoint.
    package let segments: Int
    package let bytesSinceCheckpoint: Int
    package let isDiskFull: Bool
    /// It failed or was closed: nothing more will be durable.
    package let isRefusing: Bool
}

extension WriteAheadLog {
    package var statistics: LogStatistics {
        let (records, bytes, isDiskFull, isRefusing) = self.queue.withLock {
            ($0.unfinished, $0.queuedBytes, $0.isDiskFull, $0.refusal != nil)
        }
        return LogStatistics(
            groupRecords: self.groups.records.values,
            groupBytes: self.groups.bytes.values,
            groupDurations: self.groups.durations.values,
            queuedRecords: records,
            queuedBytes: bytes,
            segments: self.files?.segments.withLock { $0.count } ?? 0,
            bytesSinceCheckpoint: self.bytesSinceCheckpoint,
            isDiskFull: isDiskFull,
            isRefusing: isRefusing
        )
    }
}
