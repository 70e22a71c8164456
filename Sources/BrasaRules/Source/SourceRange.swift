/// A run of the source's bytes.
package struct SourceRange: Hashable, Sendable {
    package var start: Int
    package var end: Int

    package init(_ start: Int, _ end: Int) {
        self.start = start
        self.end = end
    }

    func joined(with other: SourceRange) -> SourceRange {
        SourceRange(min(self.start, other.start), max(self.end, other.end))
    }
}

/// Where a run of the source stands, as the compiler's reports count: lines and columns from 1, offsets from 0, all in
/// code points; the end offset is that of the last code point.
package struct SourcePosition: Hashable, Sendable {
    package let line: Int
    package let column: Int
    package let startOffset: Int
    package let endOffset: Int
}
