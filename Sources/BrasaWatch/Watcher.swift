import BrasaDocuments
package import BrasaPlatform
package import BrasaStore
import Synchronization

/// Tells the streams of one event loop what commits change.
///
/// A target is a position, not a buffer: what a stream is told follows from the state it was told of last and the one it
/// is told of next, and the store has both. The watcher itself stands at a position, too. It goes on commit by commit
/// (`Watcher+Commits.swift`) and hands each one's changes to the streams that are at its position, the live ones; who does
/// not keep up falls behind, and is brought from where it is to the watcher's position in one go when it can take more
/// (`WatchStream+Rounds.swift`). So streams have no queues.
///
/// Everything is done in turns on the loop, each of bounded length.
package final class Watcher: @unchecked Sendable {
    // Sendable, because `wake` and `counters` are all that other threads use; all else runs on the mailbox's thread.

    /// How the watcher goes on to the watermark.
    enum Course {
        /// All commits were taken in the last turn.
        case upToDate
        /// Not all were: what has gathered is taken as one.
        case behind
        /// Not all of the step has been told yet.
        case largeStep(LargeStep)
    }

    package let counters = WatchCounters()
    let store: Store
    let configuration: WatchConfiguration
    private let clock: Clock
    private let mailbox: any Mailbox
    /// Whether there are targets, and whether a turn was posted and has not begun.
    private let signal = Atomic<UInt8>(0)

    private static let isActive: UInt8 = 1
    private static let isPosted: UInt8 = 2

    // MARK: On the loop only

    private(set) var tables: [DatabaseHandle: ViewTable] = [:]
    private(set) var databases: Set<DatabaseHandle> = []
    /// Those whose databases changed in this turn.
    private var changedTables: ContiguousArray<ViewTable> = []
    var streams: ContiguousArray<WatchStream> = []
    var values = WatchCounters.Values()
    /// The state that live streams were told of.
    var position: Timestamp
    /// The end of the last step that took several commits as one: nobody knows who changed between them.
    var mergedThrough = Timestamp.earliest
    var course = Course.upToDate
    var step = CommitStep()
    let memory = ViewMemory()
    var fillings = FillingQueue()
    var work = WorkQueue<WatchStream>()
    var turn: Turn
    /// How many of the streams, from the first on, a tick has not come to yet.
    private var ticksLeft = 0

    /// `mailbox` is the loop that everything but `wake` and `counters` is used on.
    package init(
        store: Store,
        mailbox: any Mailbox,
        clock: Clock,
        configuration: WatchConfiguration = WatchConfiguration()
    ) {
        self.store = store
        self.mailbox = mailbox
        self.clock = clock
        self.configuration = configuration
        self.position = store.watermark
        self.turn = Turn(now: clock.monotonic())
    }

    // MARK: From outside

    /// Commits became visible; on any thread.
    package func wake() {
        // A watcher that becomes active just now clears the signal before it reads the watermark, and so sees them.
        let before = self.signal.bitwiseOr(Self.isPosted, ordering: .acquiringAndReleasing).oldValue
        if before == Self.isActive { self.post() }
    }

    /// A stream without targets. It and its sink are held until `close`.
    package func open(_ database: DatabaseHandle, sink: any WatchSink) -> WatchStream {
        let table = self.tables[database] ?? ViewTable(database)
        self.tables[database] = table
        self.databases.insert(database)
        table.streamCount += 1
        let stream = WatchStream(watcher: self, table: table, sink: sink, now: self.turn.now)
        stream.index = self.streams.count
        self.streams.append(stream)
        self.values.streams += 1
        return stream
    }

    /// To be called every second or so: tells idle streams the time, and gives up keeping versions for those that have
    /// been slow for too long.
    package func tick() {
        // One that is not done yet comes to all streams soon enough.
        if self.ticksLeft == 0 { self.ticksLeft = self.streams.count }
        // Time passes without commits too.
        _ = self.store.strongReadTime()
        if self.values.targets > 0 { self.schedule() } else { self.publish() }
    }

    // MARK: Turns

    /// A turn will come. On the loop.
    func schedule() {
        let before = self.signal.bitwiseOr(Self.isPosted, ordering: .acquiringAndReleasing).oldValue
        if before & Self.isPosted == 0 { self.post() }
    }

    /// The same for what this turn has left.
    private func goOnLater() {
        let before = self.signal.bitwiseOr(Self.isPosted, ordering: .acquiringAndReleasing).oldValue
        if before & Self.isPosted == 0 { self.mailbox.postTurn { self.takeTurn() } }
    }

    private func post() {
        self.mailbox.post { self.takeTurn() }
    }

    private func takeTurn() {
        self.signal.bitwiseAnd(~Self.isPosted, ordering: .acquiringAndReleasing)
        guard self.values.targets > 0 else { return self.publish() }
        self.turn.begin(self.configuration, now: self.clock.monotonic())
        self.goOnTelling()
        if !self.isInLargeStep { self.takeCommits() }
        if !self.isInLargeStep { self.goOn() }
        for stream in self.turn.unflushed { stream.flush() }
        self.turn.haveFlushed()
        if !self.isInLargeStep { self.forget() }
        self.turn.end()
        if self.values.targets == 0 { self.deactivate() }
        if !self.isInLargeStep { for action in self.turn.takeDeferred() { action() } }
        self.publish()
        if self.hasMore { self.goOnLater() }
    }

    private var hasMore: Bool {
        if case .upToDate = self.course { return !self.work.isEmpty || !self.fillings.isEmpty || self.ticksLeft > 0 }
        return true
    }

    /// What a turn does when the watcher has come to a position.
    private func goOn() {
        self.fillWindows()
        self.makeRoom()
        self.serve()
        self.beat()
        self.renewPins()
    }

    /// What was kept for streams that are told the same, and what views remember when that has become much: then streams
    /// that are behind look for changes in the store.
    private func forget() {
        self.turn.forgetSnapshots()
        guard self.memory.recentBytes > self.configuration.recentBytesMax else { return }
        for table in self.tables.values { table.forgetRecent(until: self.position) }
    }

    /// Streams that take nothing may not keep windows from others.
    private func makeRoom() {
        if self.hasRoomForWindows { return }
        for stream in self.streams where stream.stalledSince != nil { stream.giveUp() }
    }

    /// Whether one more stream may begin to be told of windows as they are now.
    var hasRoomForWindows: Bool { self.memory.shownBytes <= self.configuration.formerWindowBytesMax }

    /// Streams that have something to be told, in the order they asked.
    private func serve() {
        var waiting = self.work.takeAll()
        while self.turn.readsLeft > 0, self.turn.eventsLeft > 0, let stream = waiting.popFirst() {
            stream.isQueued = false
            stream.proceed()
        }
        self.work.putBack(waiting)
    }

    /// A part of a tick. From the last stream to the first: what takes the place of one that goes was there already.
    private func beat() {
        var beatsLeft = self.configuration.turnBeatsMax
        self.ticksLeft = min(self.ticksLeft, self.streams.count)
        let end = max(self.ticksLeft - self.configuration.turnTicksMax, 0)
        while self.ticksLeft > end, beatsLeft > 0 {
            self.ticksLeft -= 1
            if self.streams[self.ticksLeft].tick() { beatsLeft -= 1 }
        }
    }

    /// Now, or at the end of the turn, or of the last one that a step is told in.
    func perform(_ action: @escaping () -> Void) {
        if self.turn.isRunning || self.isInLargeStep { self.turn.defer(action) } else { action() }
    }

    /// The stream has been sent something: it leaves at the end of the turn, or at once.
    func flushLater(_ stream: WatchStream) {
        if self.turn.isRunning { self.turn.flushLater(stream) } else { stream.flush() }
    }

    func enqueue(_ stream: WatchStream) {
        guard !stream.isQueued else { return }
        stream.isQueued = true
        self.work.append(stream)
        if !self.turn.isRunning { self.schedule() }
    }

    private func publish() {
        self.counters.set(self.values)
    }

    /// The stream has no targets any more.
    func remove(_ stream: WatchStream) {
        if let last = self.streams.popLast(), last !== stream {
            self.streams[stream.index] = last
            last.index = stream.index
        }
        self.values.streams -= 1
        stream.table.streamCount -= 1
        if stream.table.streamCount == 0 {
            self.tables[stream.database] = nil
            self.databases.remove(stream.database)
        }
        self.publish()
    }

    // MARK: Position

    /// The first target: from here on commits are followed.
    func activate() {
        _ = self.signal.exchange(Self.isActive, ordering: .acquiringAndReleasing)
        self.position = self.store.watermark
        self.course = .upToDate
    }

    /// The last target is gone.
    func deactivate() {
        self.signal.bitwiseAnd(~Self.isActive, ordering: .acquiringAndReleasing)
        for table in self.tables.values { table.pin = nil }
        for stream in self.work.takeAll() { stream.isQueued = false }
        self.fillings = FillingQueue()
        self.ticksLeft = 0
    }

    /// The versions of the watcher's position; without a pin when history has lost them already.
    func base(in table: ViewTable) -> Base {
        if table.pin?.time != self.position, let pin = try? self.store.pin(at: self.position, in: table.database) {
            table.pin = pin
        }
        return Base(
            time: self.position,
            isPosition: true,
            pin: table.pin?.time == self.position ? table.pin : nil
        )
    }

    /// Whether history still has the versions of the watcher's position. When it has not, the next turn goes on to one
    /// that it has.
    func isPositionKnown(in database: DatabaseHandle) -> Bool {
        self.position >= self.store.oldestReadTime(in: database)
    }

    /// Each document of the view once that changed after the base, if that is remembered.
    func recentPaths(of view: View, since base: Base) -> [ResourcePath]? {
        guard base.isPosition || base.time >= self.mergedThrough else { return nil }
        return view.recent.paths(after: base.time)
    }

    /// The database of the table changed.
    func hasChanged(_ table: ViewTable) {
        guard !table.hasChanged else { return }
        table.hasChanged = true
        self.changedTables.append(table)
    }

    /// Where nothing has changed, an older pin keeps nothing more.
    private func renewPins() {
        for table in self.changedTables {
            table.hasChanged = false
            if self.values.targets > 0 { _ = self.base(in: table) }
        }
        self.changedTables.removeAll(keepingCapacity: true)
    }
}

/// A state that a target was told of, with what keeps its versions, if that is still so.
struct Base {
    let time: Timestamp
    /// The watcher stood there. A client may know a state that the watcher passed over.
    let isPosition: Bool
    let pin: SnapshotPin?

    var unpinned: Base { Base(time: self.time, isPosition: self.isPosition, pin: nil) }
}
