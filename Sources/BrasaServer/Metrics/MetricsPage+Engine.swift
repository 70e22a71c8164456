import BrasaDocuments
import BrasaLog
import BrasaStore
import BrasaTransactions
import BrasaWatch

// What the engine has and does.
extension MetricsPage {
    mutating func add(_ store: StoreStatistics) {
        self.gauge("brasa_documents", "Documents in all databases.", store.documents)
        self.gauge("brasa_databases", "Databases that are in memory.", store.databases)
        self.gauge("brasa_field_bytes", "Encoded fields of the documents.", store.fieldBytes)
        self.gauge(
            "brasa_superseded_versions",
            "Versions that are kept for reads in the past.",
            store.supersededVersions
        )
        self.gauge(
            "brasa_history_bytes",
            "About what those versions, deleted documents and keys of indexes that ended take.",
            store.historyBytes
        )
        self.gauge("brasa_snapshot_pins", "States that readers and listeners hold on to.", store.snapshotPins)
        self.gauge(
            "brasa_recent_changes",
            "Changes that are remembered one by one, for listeners and optimistic transactions.",
            store.recentChanges
        )
        self.addMemory(store)
        self.addIndexes(store)
        self.addCommits(store)
        self.addLog(store)
        self.addCheckpoints(store.checkpoints)
    }

    private mutating func addMemory(_ store: StoreStatistics) {
        self.gauges(
            "brasa_memory_bytes",
            "What is counted for --max-memory, about, by part.",
            by: "part",
            [
                ("documents", store.memory.documents), ("history", store.memory.history),
                ("indexes", store.memory.indexes), ("trees", store.memory.trees),
                ("connections", store.memory.reserved),
            ]
        )
        self.gauge("brasa_memory_max_bytes", "The bound of --max-memory; 0: none.", store.memoryBytesMax ?? 0)
        self.gauge(
            "brasa_memory_full",
            "Whether writes but deletes are refused for want of memory.",
            store.isMemoryFull ? 1 : 0
        )
    }

    private mutating func addIndexes(_ store: StoreStatistics) {
        let states: [(String, IndexDescription.State)] = [
            ("ready", .ready), ("building", .building), ("does_not_fit", .doesNotFit), ("abandoned", .abandoned),
        ]
        self.gauges(
            "brasa_indexes",
            "Indexes that queries asked for, by state.",
            by: "state",
            states.map { ($0, store.indexes[$1] ?? 0) }
        )
        self.gauge("brasa_index_memory_max_bytes", "The bound of --index-memory.", store.indexBytesMax)
    }

    private mutating func addCommits(_ store: StoreStatistics) {
        self.counter("brasa_commits_total", "Commits that changed something.", store.commits)
        self.counter("brasa_changes_total", "Documents, and places in trees, that they changed.", store.changes)
        self.counters(
            "brasa_commits_refused_total",
            "Commits that were not taken though they could be carried out, by what there was no room in.",
            by: "reason",
            store.refusals.map { ($0.reason.name, $0.count) }
        )
        self.gauge(
            "brasa_watermark_lag_seconds",
            "How far the latest state is ahead of what is durable, in commit times.",
            seconds: max(0, Int(store.appliedTime.microseconds - store.watermark.microseconds))
        )
    }

    private mutating func addLog(_ store: StoreStatistics) {
        let log = store.log
        self.histogram("brasa_log_group_records", "Records that were written and synced as one.", log.groupRecords)
        self.histogram("brasa_log_group_bytes", "Bytes of such a group.", log.groupBytes)
        self.histogram("brasa_log_sync_seconds", "Time to write and sync a group.", log.groupDurations)
        self.gauge("brasa_log_queue_records", "Records that are not durable yet.", log.queuedRecords)
        self.gauge("brasa_log_queue_bytes", "What those take.", log.queuedBytes)
        self.gauge("brasa_log_segments", "Files of the log.", log.segments)
        self.gauge(
            "brasa_log_bytes_since_checkpoint",
            "What a restart would read of the log.",
            log.bytesSinceCheckpoint
        )
        self.gauge("brasa_disk_full", "Whether commits are refused until the disk has room.", log.isDiskFull ? 1 : 0)
        self.gauge(
            "brasa_log_failed",
            "Whether the log has failed: nothing is acknowledged until a restart.",
            log.isRefusing ? 1 : 0
        )
    }

    private mutating func addCheckpoints(_ checkpoints: CheckpointMeasures) {
        self.counters(
            "brasa_checkpoints_total",
            "Checkpoints since the start, by how they ended.",
            by: "result",
            [("written", checkpoints.written), ("failed", checkpoints.failed)]
        )
        self.gauge(
            "brasa_checkpoint_duration_seconds",
            "How long the last one took; 0: none since the start.",
            seconds: checkpoints.microseconds
        )
        self.gauge(
            "brasa_checkpoint_last_timestamp_seconds",
            "When it was written; 0: none since the start.",
            seconds: Int(checkpoints.lastMicroseconds ?? 0)
        )
    }

    mutating func add(_ transactions: TransactionStatistics) {
        let happened = transactions.happened
        self.gauge("brasa_transactions_open", "Transactions that have not ended.", transactions.openTransactions)
        self.counter("brasa_transactions_begun_total", "Transactions that were begun.", happened.begun)
        self.counters(
            "brasa_transactions_ended_total",
            "Transactions that have ended, by how.",
            by: "ending",
            [
                ("committed", happened.committed), ("rolled_back", happened.rolledBack), ("failed", happened.failed),
                ("aborted", happened.aborted), ("expired", happened.expired),
            ]
        )
        self.gauge("brasa_locked_documents", "Locks on documents that transactions hold.", transactions.lockedDocuments)
        self.gauge("brasa_lock_queue_requests", "Requests that wait for locks.", transactions.waitingRequests)
        self.gauge("brasa_lock_queue_bytes", "About what their writes take.", transactions.waitingBytes)
        self.counter("brasa_lock_waits_total", "Requests that found their locks taken.", happened.lockWaits)
        self.counter("brasa_lock_timeouts_total", "Requests that waited too long for locks.", happened.lockTimeouts)
        self.counter(
            "brasa_transactions_wounded_total",
            "Transactions that lost their locks to an older one.",
            happened.wounded
        )
    }

    mutating func add(_ watch: WatchCounters.Values) {
        self.gauge("brasa_listen_streams", "Open Listen streams.", watch.streams)
        self.gauge("brasa_listen_targets", "Targets on all Listen streams.", watch.targets)
        self.gauge("brasa_listen_views", "Different queries and document sets among the targets.", watch.views)
        self.counter(
            "brasa_listen_changes_matched_total",
            "Changes of documents that views were asked about.",
            watch.changesMatched
        )
        self.counter("brasa_listen_events_sent_total", "Events sent to Listen streams.", watch.eventsSent)
        self.counter(
            "brasa_listen_snapshots_coalesced_total",
            "Snapshots that slow streams were not told of one by one.",
            watch.snapshotsCoalesced
        )
        self.counter("brasa_listen_resets_total", "Targets that had to begin again.", watch.resets)
    }
}
