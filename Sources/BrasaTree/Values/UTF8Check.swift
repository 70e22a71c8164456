/// Whether bytes are UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
enum UTF8Check {
    static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            let lead = bytes[index]
            guard lead >= 0x80 else {
                index &+= 1
                continue
            }
            guard let shape = self.shape(lead), bytes.count - index >= shape.length,
                shape.second.contains(bytes[index + 1])
            else { return false }
            for position in (index + 2)..<max(index + shape.length, index + 2) where bytes[position] & 0xC0 != 0x80 {
                return false
            }
            index += shape.length
        }
        return true
    }

    /// How many bytes a character has by its first, and what its second may be.
    private static func shape(_ lead: UInt8) -> (length: Int, second: ClosedRange<UInt8>)? {
        switch lead {
        case 0xC2...0xDF: (2, 0x80...0xBF)
        case 0xE0: (3, 0xA0...0xBF)
        case 0xED: (3, 0x80...0x9F)
        case 0xE1...0xEF: (3, 0x80...0xBF)
        case 0xF0: (4, 0x90...0xBF)
        case 0xF1...0xF3: (4, 0x80...0xBF)
        case 0xF4: (4, 0x80...0x8F)
        default: nil
        }
    }
}
