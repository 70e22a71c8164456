package struct LogConfiguration: Sendable {
    package var durability: Durability
    /// Size of a segment file, allocated in advance.
    package var segmentBytes: Int
    /// Size of the first segment after a start, which has to be allocated before the start is done; the ones after it
    /// are allocated in the background.
    package var firstSegmentBytes: Int
    /// Most that one write and sync takes; a single record may exceed it.
    package var groupBytesMax: Int
    /// Past this many bytes waiting, `append` refuses.
    package var queuedBytesMax: Int
    package var recordBytesMax: Int

    package init(
        durability: Durability = .fsync,
        segmentBytes: Int = 64 << 20,
        firstSegmentBytes: Int = 4 << 20,
        groupBytesMax: Int = 2 << 20,
        queuedBytesMax: Int = 64 << 20,
        recordBytesMax: Int = 32 << 20
    ) {
        self.durability = durability
        self.segmentBytes = segmentBytes
        self.firstSegmentBytes = firstSegmentBytes
        self.groupBytesMax = groupBytesMax
        self.queuedBytesMax = queuedBytesMax
        self.recordBytesMax = recordBytesMax
    }
}
