/// Finds where the parts of an order-preserving key end, without decoding them. Void keys end the reading with nil.
package struct KeyPartReader {
    private let key: UnsafeRawBufferPointer
    /// Where the next part begins.
    package private(set) var position: Int

    package init(_ key: UnsafeRawBufferPointer, from position: Int = 0) {
        self.key = key
        self.position = position
    }

    /// The range of the value that comes next, descending parts being complemented.
    package mutating func value(isDescending: Bool = false) -> Range<Int>? {
        let start = self.position
        guard self.skipValue(isDescending ? 0xFF : 0) else { return nil }
        return start..<self.position
    }

    /// The range of the path that comes next.
    package mutating func path(isDescending: Bool = false) -> Range<Int>? {
        let start = self.position
        guard self.skipPath(isDescending ? 0xFF : 0) else { return nil }
        return start..<self.position
    }

    /// The range of one segment of a path; nil at the path's end.
    package mutating func pathSegment() -> Range<Int>? {
        let start = self.position
        guard start < self.key.count, self.key[start] != 0, self.skipSegment(0) else { return nil }
        return start..<self.position
    }

    private mutating func byte(_ mask: UInt8) -> UInt8? {
        guard self.position < self.key.count else { return nil }
        defer { self.position += 1 }
        return self.key[self.position] ^ mask
    }

    private mutating func skip(_ count: Int) -> Bool {
        guard count <= self.key.count - self.position else { return false }
        self.position += count
        return true
    }

    private mutating func skipValue(_ mask: UInt8) -> Bool {
        typealias Tag = OrderPreservingKey.Tag
        switch self.byte(mask) {
        case Tag.null, Tag.nan: return true
        case Tag.boolean: return self.skip(1)
        case Tag.number: return self.skip(10)
        case Tag.timestamp, Tag.pendingTimestamp: return self.skip(12)
        case Tag.string, Tag.bytes: return self.skipTerminated(mask)
        case Tag.reference: return self.skipTerminated(mask) && self.skipTerminated(mask) && self.skipPath(mask)
        case Tag.geoPoint: return self.skip(16)
        case Tag.vector: return self.skipVector(mask)
        case Tag.array: return self.skipArray(mask)
        case Tag.map: return self.skipMap(mask)
        default: return false
        }
    }

    private mutating func skipVector(_ mask: UInt8) -> Bool {
        var count = 0
        for _ in 0..<4 {
            guard let byte = self.byte(mask) else { return false }
            count = count << 8 | Int(byte)
        }
        return self.skip(8 * count)
    }

    private mutating func skipArray(_ mask: UInt8) -> Bool {
        while true {
            guard self.position < self.key.count else { return false }
            if self.key[self.position] ^ mask == 0 { return self.skip(1) }
            guard self.skipValue(mask) else { return false }
        }
    }

    private mutating func skipMap(_ mask: UInt8) -> Bool {
        while let marker = self.byte(mask) {
            if marker == 0 { return true }
            guard self.skipTerminated(mask), self.skipValue(mask) else { return false }
        }
        return false
    }

    private mutating func skipPath(_ mask: UInt8) -> Bool {
        while self.position < self.key.count {
            if self.key[self.position] ^ mask == 0 { return self.skip(1) }
            guard self.skipSegment(mask) else { return false }
        }
        return false
    }

    private mutating func skipSegment(_ mask: UInt8) -> Bool {
        self.byte(mask) == 1 ? self.skip(8) : self.skipTerminated(mask)
    }

    /// To behind 00 01; 00 FF stands for a zero byte.
    private mutating func skipTerminated(_ mask: UInt8) -> Bool {
        while let byte = self.byte(mask) {
            if byte == 0 {
                guard let next = self.byte(mask) else { return false }
                if next == 1 { return true }
                guard next == 0xFF else { return false }
            }
        }
        return false
    }
}
