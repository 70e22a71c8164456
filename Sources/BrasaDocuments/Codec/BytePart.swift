/// A part of a byte string, which stays whole as long as the part is needed. Half the size of an `ArraySlice`, so that values
/// which hold one stay small. As in a slice, its indices are those of the whole.
@usableFromInline
package struct BytePart: Sendable {
    @usableFromInline let whole: ByteString
    @usableFromInline let lower: UInt32
    @usableFromInline let upper: UInt32

    @inlinable
    package init(_ whole: ByteString) {
        self.init(whole, 0..<whole.count)
    }

    /// `range` is clamped to the whole.
    @inlinable
    package init(_ whole: ByteString, _ range: Range<Int>) {
        let range = range.clamped(to: 0..<whole.count)
        self.whole = whole
        self.lower = UInt32(clamping: range.lowerBound)
        self.upper = UInt32(clamping: range.upperBound)
    }

    /// Copies them.
    @inlinable
    package init(_ bytes: [UInt8]) {
        self.init(ByteString(bytes))
    }

    @inlinable package var count: Int { Int(self.upper - self.lower) }

    /// A part of this, counted from its start.
    @inlinable
    package func part(_ range: Range<Int>) -> BytePart {
        let range = range.clamped(to: 0..<self.count)
        return BytePart(
            self.whole,
            (Int(self.lower) + range.lowerBound)..<(Int(self.lower) + range.upperBound)
        )
    }

    @inlinable
    package func withUnsafeBytes<Output>(_ body: (UnsafeRawBufferPointer) throws -> Output) rethrows -> Output {
        try self.whole.withUnsafeBytes { bytes in
            try body(UnsafeRawBufferPointer(rebasing: bytes[Int(self.lower)..<Int(self.upper)]))
        }
    }
}

extension BytePart: RandomAccessCollection {
    @inlinable package var startIndex: Int { Int(self.lower) }
    @inlinable package var endIndex: Int { Int(self.upper) }

    @inlinable
    package subscript(index: Int) -> UInt8 {
        precondition(index >= self.startIndex && index < self.endIndex, "a byte beyond the part")
        return self.whole.withUnsafeBytes { $0[index] }
    }

    @inlinable
    package subscript(range: Range<Int>) -> BytePart {
        precondition(range.lowerBound >= self.startIndex && range.upperBound <= self.endIndex, "bytes beyond the part")
        return BytePart(self.whole, range)
    }

    @inlinable
    package func withContiguousStorageIfAvailable<Output>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Output
    ) rethrows -> Output? {
        try self.withUnsafeBytes { bytes in try bytes.withMemoryRebound(to: UInt8.self, body) }
    }
}

extension BytePart: Hashable {
    @usableFromInline
    package static func == (left: BytePart, right: BytePart) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { ByteOrder.equal(left, $0) } }
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        self.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
