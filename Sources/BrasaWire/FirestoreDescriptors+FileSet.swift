extension FirestoreDescriptors {
    /// The set's bytes. Decoded on every call; who serves reflection keeps them.
    package static var fileSet: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(self.byteCount)
        var pending: UInt32 = 0
        var pendingBits = 0
        let text = UnsafeBufferPointer(start: self.text.utf8Start, count: self.text.utf8CodeUnitCount)
        for character in text {
            guard let sextet = self.sextet(character) else { break }
            pending = pending << 6 | UInt32(sextet)
            pendingBits += 6
            if pendingBits >= 8 {
                pendingBits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(pendingBits)))
            }
        }
        return bytes
    }

    /// Nil for the padding at the end.
    private static func sextet(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
