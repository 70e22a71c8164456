/// A part of an array of bytes, which stays whole as long as the part is needed. Half the size of an `ArraySlice`, so that
/// values which hold one stay small. Of arrays beyond 4 GiB, which nothing stores, only the start can be named.
@usableFromInline
package struct BytePart: Sendable {
    @usableFromInline let whole: [UInt8]
    @usableFromInline let lower: UInt32
    @usableFromInline let upper: UInt32

    @inlinable
    package init(_ whole: [UInt8]) {
        self.init(whole, 0..<whole.count)
    }

    /// `range` is clamped to the array.
    @inlinable
    package init(_ whole: [UInt8], _ range: Range<Int>) {
        let range = range.clamped(to: 0..<whole.count)
        self.whole = whole
        self.lower = UInt32(clamping: range.lowerBound)
        self.upper = UInt32(clamping: range.upperBound)
    }

    @inlinable package var count: Int { Int(self.upper - self.lower) }
    @inlinable package var slice: ArraySlice<UInt8> { self.whole[Int(self.lower)..<Int(self.upper)] }

    /// A part of this, counted from its start.
    @inlinable
    package func part(_ range: Range<Int>) -> BytePart {
        let range = range.clamped(to: 0..<self.count)
        return BytePart(
            self.whole,
            (Int(self.lower) + range.lowerBound)..<(Int(self.lower) + range.upperBound)
        )
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        self.whole.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[Int(self.lower)..<Int(self.upper)])) }
    }
}
