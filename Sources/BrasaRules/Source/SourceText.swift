internal import BrasaBytes

/// A rules file's bytes, and where its lines begin.
package struct SourceText: Sendable {
    package let bytes: [UInt8]
    private let lineStarts: [Int]
    /// How many code points stand before each line.
    private let lineOffsets: [Int]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var starts = [0]
        var offsets = [0]
        var codePoints = 0
        for (index, byte) in bytes.enumerated() {
            if Self.beginsCodePoint(byte) { codePoints += 1 }
            if byte == UInt8(ascii: "\n") {
                starts.append(index + 1)
                offsets.append(codePoints)
            }
        }
        self.lineStarts = starts
        self.lineOffsets = offsets
    }

    private static func beginsCodePoint(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }

    /// Complexity: O(log n) in the lines, and linear in the one line.
    package func position(of range: SourceRange) -> SourcePosition {
        let line = self.line(of: range.start)
        let start = self.offset(of: range.start)
        let last = max(start, self.offset(of: range.end) - 1)
        return SourcePosition(
            line: line + 1,
            column: start - self.lineOffsets[line] + 1,
            startOffset: start,
            endOffset: last
        )
    }

    /// The line of a byte, from 0.
    func line(of index: Int) -> Int {
        var (low, high) = (0, self.lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if self.lineStarts[middle] <= index { low = middle } else { high = middle }
        }
        return low
    }

    private func offset(of index: Int) -> Int {
        let line = self.line(of: index)
        let end = min(index, self.bytes.count)
        return self.bytes[self.lineStarts[line]..<max(end, self.lineStarts[line])]
            .reduce(self.lineOffsets[line]) { $0 + (Self.beginsCodePoint($1) ? 1 : 0) }
    }

    package func text(_ range: SourceRange) -> String {
        String(decoding: self.bytes[range.start..<min(range.end, self.bytes.count)], as: UTF8.self)
    }
}

extension SourceText {
    /// SHA-256 of the bytes, in hexadecimal digits.
    package var digest: String {
        String(decoding: Hexadecimal.encode(SHA256.digest(self.bytes), .lower), as: UTF8.self)
    }
}
