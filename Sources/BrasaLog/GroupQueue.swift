/// What callers and the log's thread share. Guarded by `WriteAheadLog.queue`.
struct GroupQueue {
    /// Whether a group that was taken has found no room. The disk counts as full until it is written, and trying takes as
    /// long as writing a segment, so whoever comes meanwhile does not cause it.
    enum Stuck {
        case no
        case waits
        /// A segment could be made since.
        case mayBeTried
    }

    /// Appended, and not yet taken for writing, oldest first. Bounded, together with what is being written, by
    /// `queuedBytesMax`.
    var waiting: [QueuedRecord] = []
    var queuedBytes = 0
    /// Entries appended that are neither durable nor failed.
    var unfinished = 0
    /// What the unfinished take on disk at most.
    var claimedBytes = 0
    /// What is left of the segment that is being written.
    var roomBytes: Int
    /// There is no room for a next segment: `append` takes what surely fits into this one, and refuses the rest.
    var isDiskFull = false
    var stuck = Stuck.no
    var lastTime: Int64
    var durableTime: Int64
    /// What is answered from now on for whatever is not durable yet.
    var refusal: LogError?
}
