/// What callers and the log's thread share. Guarded by the log's lock.
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

    /// Whether a record may come: the log takes any, and what waits leaves it room. A larger one is alone.
    ///
    /// - Parameter slow: what they wait for.
    func check(_ entry: QueuedRecord, bytesMax: Int, waitingFor slow: String) throws(LogError) {
        if let refusal = self.refusal { throw refusal }
        precondition(entry.time > self.lastTime, "record times increase")
        if self.queuedBytes + entry.queuedBytes > bytesMax, self.unfinished > 0 {
            throw LogError(.resourceExhausted, detail: "too many bytes wait for \(slow)")
        }
    }

    mutating func add(_ entry: QueuedRecord) {
        self.waiting.append(entry)
        self.queuedBytes += entry.queuedBytes
        self.unfinished += 1
    }

    /// What a barrier is answered at once; nil when it waits for its turn.
    mutating func addBarrier(through time: Int64, _ waiter: LogWaiter) -> Result<Void, LogError>? {
        let time = min(time, self.lastTime)
        if self.durableTime >= time { return .success(()) }
        if let refusal = self.refusal { return .failure(refusal) }
        self.add(QueuedRecord(barrierThrough: time, waiter: waiter))
        return nil
    }
}
