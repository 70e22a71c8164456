package struct WatchConfiguration: Sendable {
    /// Past these, a target ends with `tooManyTargets`.
    package var streamTargetsMax = 1_000
    package var targetsMax = 1_000_000
    /// What the windows of queries with a limit may keep; past it, a target ends with `windowTooLarge`.
    package var windowBytesMax = 64 << 20
    /// A stream that was told nothing for this long is told the time.
    package var heartbeat: Duration = .seconds(30)
    /// For how long the versions that a slow stream needs are kept beyond the history window.
    package var patience: Duration = .seconds(60)
    /// Bounds one turn on the loop: events sent, changes looked at, documents read for streams that catch up.
    package var turnEventsMax = 16_384
    package var turnChangesMax = 4_096
    package var turnReadsMax = 2_048

    package init() {}
}
