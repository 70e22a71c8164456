/// When a checkpoint is tried again that a full disk refused: at growing intervals, since each attempt takes space that the
/// log may need meanwhile, and writes all that fits for nothing.
struct CheckpointPace {
    /// In calls of `isTime`, one a second.
    static let pauseMax = 64

    private var pause = 1
    private var callsToSkip = 0

    mutating func isTime() -> Bool {
        if self.callsToSkip == 0 { return true }
        self.callsToSkip -= 1
        return false
    }

    mutating func foundDiskFull() {
        self.pause = min(self.pause * 2, Self.pauseMax)
        self.callsToSkip = self.pause - 1
    }

    mutating func succeeded() { self = CheckpointPace() }
}
