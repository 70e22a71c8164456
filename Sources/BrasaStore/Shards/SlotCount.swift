/// How many slots the parts of a `ChainTable` have: as many as fill a piece of memory that the allocator has anyway. Of any
/// other number the rest of the piece, up to a fifth, would be nobody's.
enum SlotCount {
    /// The least of them that is not below `count`.
    static func fitting(_ count: Int) -> Int {
        (self.size(atLeast: self.arrayHeader + count * self.tagSize) - self.arrayHeader) / self.tagSize
    }

    /// What an array has before its elements. An array of references of as many elements fills a piece twice as large but for
    /// its own 32 bytes.
    private static let arrayHeader = 32
    private static let tagSize = MemoryLayout<UInt32>.size

    /// jemalloc's sizes: from 64 bytes four in each doubling, evenly spaced, and below that multiples of 16.
    private static func size(atLeast size: Int) -> Int {
        let doubling = Int.bitWidth - 1 - max(size - 1, 64).leadingZeroBitCount
        let step = 1 << (doubling - 2)
        return (size + step - 1) / step * step
    }
}
