extension ResourcePath: Comparable {
    @usableFromInline
    package static func < (left: ResourcePath, right: ResourcePath) -> Bool {
        self.compare(left, right) == .ascending
    }

    /// Segment by segment, each by `ResourceID.compare`, the shorter path first. Both are walked only to the first byte
    /// that differs; the segment around it decides.
    package static func compare(_ left: ResourcePath, _ right: ResourcePath) -> Ordering {
        left.bytes.withUnsafeBytes { left in right.bytes.withUnsafeBytes { right in self.compare(left, right) } }
    }

    private static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Ordering {
        let slash = UInt8(ascii: "/")
        let mismatch = ByteOrder.firstMismatch(left, right)
        if mismatch == left.count && mismatch == right.count { return .same }
        var start = mismatch
        while start > 0, left[start - 1] != slash { start -= 1 }
        if self.mayBeNumeric(left, at: start) || self.mayBeNumeric(right, at: start) {
            let decided = ResourceID.compare(self.segment(left, at: start), self.segment(right, at: start))
            if decided != .same { return decided }
        }
        // One segment, or one path, is the start of the other's, or a byte decides. A slash ends a segment, so it is
        // less than every byte.
        if mismatch == left.count { return .ascending }
        if mismatch == right.count { return .descending }
        if left[mismatch] == slash { return .ascending }
        if right[mismatch] == slash { return .descending }
        return left[mismatch] < right[mismatch] ? .ascending : .descending
    }

    private static func mayBeNumeric(_ path: UnsafeRawBufferPointer, at start: Int) -> Bool {
        path.count - start >= 7 && path[start] == UInt8(ascii: "_") && path[start + 1] == UInt8(ascii: "_")
    }

    private static func segment(_ path: UnsafeRawBufferPointer, at start: Int) -> UnsafeRawBufferPointer {
        guard start <= path.count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let end = path[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.count
        return UnsafeRawBufferPointer(rebasing: path[start..<end])
    }
}
