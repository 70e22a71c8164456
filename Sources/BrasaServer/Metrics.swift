import BrasaStore
import BrasaWatch

/// What `GET /metrics` answers: the state of the server in Prometheus' text format.
struct Metrics {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    init(_ store: StoreStatistics, _ watch: WatchCounters.Values) {
        self.gauge("brasa_documents", "Documents in all databases.", store.documents)
        self.gauge("brasa_databases", "Databases that are in memory.", store.databases)
        self.gauge("brasa_field_bytes", "Encoded fields of the documents.", store.fieldBytes)
        self.gauge(
            "brasa_superseded_versions",
            "Versions that are kept for reads in the past.",
            store.supersededVersions
        )
        self.gauge("brasa_history_bytes", "About what those versions take.", store.historyBytes)
        self.addMemory(store)
        self.gauge("brasa_snapshot_pins", "States that readers and listeners hold on to.", store.snapshotPins)
        self.gauge(
            "brasa_log_bytes_since_checkpoint",
            "What a restart would read of the log.",
            store.logBytesSinceCheckpoint
        )
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

    private mutating func addMemory(_ store: StoreStatistics) {
        let (name, memory) = ("brasa_memory_bytes", store.memory)
        self.head("gauge", name, "What is counted for --max-memory, about, by part.")
        let parts = [
            ("documents", memory.documents), ("history", memory.history), ("indexes", memory.indexes),
            ("connections", memory.reserved),
        ]
        for (part, bytes) in parts { self.text += "\(name){part=\"\(part)\"} \(bytes)\n" }
        self.gauge("brasa_memory_max_bytes", "The bound of --max-memory; 0: none.", store.memoryBytesMax ?? 0)
        self.gauge(
            "brasa_memory_full",
            "Whether writes but deletes are refused for want of memory.",
            store.isMemoryFull ? 1 : 0
        )
    }

    mutating func addConnectionBytes(_ count: Int) {
        self.gauge("brasa_connection_bytes", "What connections keep of requests and responses, about.", count)
    }

    mutating func addRefusals(_ refusals: ConnectionRefusals) {
        let name = "brasa_connections_refused_total"
        self.head("counter", name, "Connections that were closed at a bound.")
        for reason in ConnectionRefusals.Reason.allCases {
            self.text += "\(name){reason=\"\(reason.rawValue)\"} \(refusals[reason])\n"
        }
    }

    private mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        self.add("gauge", name, help, value)
    }

    private mutating func counter(_ name: String, _ help: String, _ value: Int) {
        self.add("counter", name, help, value)
    }

    private mutating func add(_ kind: String, _ name: String, _ help: String, _ value: Int) {
        self.head(kind, name, help)
        self.text += "\(name) \(value)\n"
    }

    private mutating func head(_ kind: String, _ name: String, _ help: String) {
        self.text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
    }
}
