/// One call of `append` or `barrier` that waits for its group.
struct QueuedRecord: Sendable {
    /// A barrier's is that of the newest record that it waits for.
    let time: Int64
    let payload: any LogPayload
    let payloadBytes: Int
    let waiter: LogWaiter?
    /// A barrier writes nothing; it only waits for its turn.
    let isBarrier: Bool
    /// Bytes in the group.
    let paddedBytes: Int
    /// Most that it takes on disk, whatever it is grouped with.
    let diskBytesMax: Int
    /// Bytes that it counts for while it is queued: what it holds in memory, roughly, so that empty ones are bounded too.
    let queuedBytes: Int

    init(time: Int64, payload: any LogPayload, waiter: LogWaiter?) {
        self.time = time
        self.payload = payload
        self.payloadBytes = payload.byteCount
        self.waiter = waiter
        self.isBarrier = false
        self.paddedBytes = LogFormat.paddedRecordBytes(self.payloadBytes)
        self.diskBytesMax = LogFormat.roundUp(GroupHeader.bytes + self.paddedBytes, to: LogFormat.pageBytes)
        self.queuedBytes = self.payloadBytes + Self.heldBytes
    }

    init(barrierThrough time: Int64, waiter: LogWaiter) {
        self.time = time
        self.payload = [UInt8]()
        self.payloadBytes = 0
        self.waiter = waiter
        self.isBarrier = true
        self.paddedBytes = 0
        self.diskBytesMax = 0
        self.queuedBytes = Self.heldBytes
    }

    private static var heldBytes: Int { 96 }
}

/// Of a group. By position and stored field, since an element that is taken out is a copy, which counts references that the
/// cores of those who commit have just written to.
extension ArraySlice<QueuedRecord> {
    var bodyBytes: Int {
        var bytes = 0
        for index in self.indices { bytes += self[index].paddedBytes }
        return bytes
    }

    /// Without the barriers.
    var recordCount: Int {
        var count = 0
        for index in self.indices where !self[index].isBarrier { count += 1 }
        return count
    }

    /// Of the last that is no barrier; nil when there is none.
    var lastRecordTime: Int64? {
        for index in self.indices.reversed() where !self[index].isBarrier { return self[index].time }
        return nil
    }
}
