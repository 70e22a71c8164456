import BrasaPlatform

/// One turn of a watcher on its loop: what is left of what it may do, and what is done at its end.
struct Turn {
    /// As of the turn's begin.
    private(set) var now: MonotonicTime
    private(set) var isRunning = false
    /// Events that may still be told, and documents that may still be read.
    var eventsLeft = 0
    var readsLeft = 0
    /// Streams that were sent something.
    private(set) var unflushed: ContiguousArray<WatchStream> = []
    /// Tables whose snapshot is shared by all who are told of it.
    private var snapshotTables: ContiguousArray<ViewTable> = []
    /// For others who come back in this turn.
    private var differences: ContiguousArray<Difference> = []
    /// What was asked for meanwhile, since a turn's loops must not lose their place.
    private var deferred: [() -> Void] = []

    init(now: MonotonicTime) {
        self.now = now
    }

    mutating func begin(_ configuration: WatchConfiguration, now: MonotonicTime) {
        self.isRunning = true
        self.now = now
        self.eventsLeft = configuration.turnEventsMax
        self.readsLeft = configuration.turnReadsMax
    }

    mutating func end() { self.isRunning = false }

    mutating func flushLater(_ stream: WatchStream) { self.unflushed.append(stream) }

    mutating func forgetLater(_ table: ViewTable) { self.snapshotTables.append(table) }

    mutating func keep(_ difference: Difference) { self.differences.append(difference) }

    mutating func `defer`(_ action: @escaping () -> Void) { self.deferred.append(action) }

    mutating func haveFlushed() { self.unflushed.removeAll(keepingCapacity: true) }

    mutating func forgetSnapshots() {
        for table in self.snapshotTables { table.forgetSnapshot() }
        self.snapshotTables.removeAll(keepingCapacity: true)
        self.differences.removeAll(keepingCapacity: true)
    }

    mutating func takeDeferred() -> [() -> Void] {
        let deferred = self.deferred
        self.deferred = []
        return deferred
    }
}
