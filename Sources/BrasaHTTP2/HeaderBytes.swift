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
        var position = 0
        while position + 8 <= bytes.count {
            guard self.word(at: position) == bytes.word(at: position) else { return false }
            position += 8
        }
        while position < bytes.count {
            guard self[position] == bytes[position] else { return false }
            position += 1
        }
        return true
    }

    /// Eight bytes, as they lie in memory.
    package func word(at position: Int) -> UInt64 {
        self.loadUnaligned(fromByteOffset: position, as: UInt64.self)
    }
}
