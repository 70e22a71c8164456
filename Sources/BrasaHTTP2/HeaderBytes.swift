/// Comparing what headers say with what is known already: eight bytes at a time, since every call does it for each of its
/// fields.
extension UnsafeRawBufferPointer {
    package func isEqual(to text: StaticString) -> Bool {
        // What is one character may have no pointer.
        guard text.hasPointerRepresentation else { return text.withUTF8Buffer { self.elementsEqual($0) } }
        return self.count == text.utf8CodeUnitCount && self.starts(with: text)
    }

    package func isEqual(to bytes: UnsafeRawBufferPointer) -> Bool {
        self.count == bytes.count && self.begins(with: bytes)
    }

    package func starts(with text: StaticString) -> Bool {
        guard text.hasPointerRepresentation else { return text.withUTF8Buffer { self.starts(with: $0) } }
        return self.begins(with: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private func begins(with bytes: UnsafeRawBufferPointer) -> Bool {
        guard self.count >= bytes.count else { return false }
        guard bytes.count >= 8 else { return self.shortWord(bytes.count) == bytes.shortWord(bytes.count) }
        var position = 0
        while position + 8 < bytes.count {
            guard self.word(at: position) == bytes.word(at: position) else { return false }
            position += 8
        }
        // The last ones, of which some may have been compared.
        return self.word(at: bytes.count - 8) == bytes.word(at: bytes.count - 8)
    }

    /// The first bytes, fewer than eight, as one number: read as parts that may overlap, so that none behind them is touched.
    private func shortWord(_ count: Int) -> UInt64 {
        if count >= 4 {
            let (first, last) = (self.half(at: 0), self.half(at: count - 4))
            return UInt64(first) | UInt64(last) << 32
        }
        guard count > 0 else { return 0 }
        return UInt64(self[0]) | UInt64(self[count / 2]) << 8 | UInt64(self[count - 1]) << 16
    }

    private func half(at position: Int) -> UInt32 {
        self.loadUnaligned(fromByteOffset: position, as: UInt32.self)
    }

    /// Eight bytes, as they lie in memory.
    package func word(at position: Int) -> UInt64 {
        self.loadUnaligned(fromByteOffset: position, as: UInt64.self)
    }
}
