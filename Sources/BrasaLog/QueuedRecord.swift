/// One call of `append` or `barrier` that waits for its group.
struct QueuedRecord: Sendable {
    /// A barrier's is that of the newest record that it waits for.
    let time: Int64
    let payload: any LogPayload
    let payloadBytes: Int
    let waiter: LogWaiter?
    /// A barrier writes nothing; it only waits for its turn.
    let isBarrier: Bool

    init(time: Int64, payload: any LogPayload, waiter: LogWaiter?) {
        self.time = time
        self.payload = payload
        self.payloadBytes = payload.byteCount
        self.waiter = waiter
        self.isBarrier = false
    }

    init(barrierThrough time: Int64, waiter: LogWaiter) {
        self.time = time
        self.payload = [UInt8]()
        self.payloadBytes = 0
        self.waiter = waiter
        self.isBarrier = true
    }

    /// Bytes in the group.
    var paddedBytes: Int { self.isBarrier ? 0 : LogFormat.paddedRecordBytes(self.payloadBytes) }

    /// Most that it takes on disk, whatever it is grouped with.
    var diskBytesMax: Int {
        self.isBarrier ? 0 : LogFormat.roundUp(GroupHeader.bytes + self.paddedBytes, to: LogFormat.pageBytes)
    }

    /// Bytes that it counts for while it is queued: what it holds in memory, roughly, so that empty ones are bounded too.
    var queuedBytes: Int { self.payloadBytes + 96 }
}
