package struct WatchConfiguration: Sendable {
    /// Past these, a target ends with `tooManyTargets`.
    package var streamTargetsMax = 1_000
    package var targetsMax = 1_000_000
    /// What a target may name; past it, it ends with `tooManyDocuments`.
    package var targetDocumentsMax = 1_000
    /// What documents' names and queries take, of a stream's targets and of a watcher's views; past it, a target ends with
    /// `selectionTooLarge`.
    package var streamSelectionBytesMax = 4 << 20
    package var selectionBytesMax = 256 << 20
    /// What the windows of queries with a limit may keep together; past it, a target ends with `windowTooLarge`. Large
    /// ones do not get the last quarter, so that those of others find room.
    package var windowBytesMax = 64 << 20
    /// What one of them may keep, and up to what it is a small one.
    package var viewWindowBytesMax = 8 << 20
    package var smallWindowBytesMax = 64 << 10
    /// What windows may take that are kept as they were, for streams on their way to that state; past it, streams that take
    /// nothing give up theirs, and others wait.
    package var formerWindowBytesMax = 64 << 20
    /// How many windows are filled at a time; others wait.
    package var fillingsMax = 8
    /// How many documents may change while a window is filled; past it the filling begins again, and after so many times
    /// the target ends with `windowTooBusy`.
    package var fillingChangesMax = 4_096
    package var fillingRestartsMax = 16
    /// What views keep of the names of documents that changed lately.
    package var recentBytesMax = 8 << 20
    /// How many documents are kept that a target has found to differ on its way back, for others on the same way: of one
    /// way, and of all. Past it they are forgotten, and who has not been told of them goes alone.
    package var wayDocumentsMax = 4_096
    package var waysDocumentsMax = 1 << 18
    /// A stream that was told nothing for this long is told the time.
    package var heartbeat: Duration = .seconds(30)
    /// For how long the versions that a slow stream needs are kept beyond the history window while it takes nothing; ten
    /// times as long while it takes a little.
    package var patience: Duration = .seconds(60)
    /// Bounds one turn on the loop: events sent and views asked about changes, changes looked at, documents read for streams that catch up.
    package var turnEventsMax = 16_384
    package var turnChangesMax = 4_096
    package var turnReadsMax = 2_048
    /// Streams that are told the time in one turn, and those that are looked at for it.
    package var turnBeatsMax = 256
    package var turnTicksMax = 16_384

    package init() {}
}
