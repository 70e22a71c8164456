/// SHA-1 (FIPS 180-4), which the protocol names data by. Not for anything that must withstand an attacker.
package struct SHA1: Sendable {
    private var state: (UInt32, UInt32, UInt32, UInt32, UInt32) = SHA1.initial
    /// What does not fill a block yet.
    private var rest: [UInt8] = []
    private var length: UInt64 = 0

    private static let initial: (UInt32, UInt32, UInt32, UInt32, UInt32) = (
        0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0
    )

    package init() {
        self.rest.reserveCapacity(128)
    }

    package static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA1()
        hash.append(bytes)
        return hash.finish()
    }

    package mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { self.append($0) }
    }

    package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.length &+= UInt64(bytes.count)
        var start = 0
        if !self.rest.isEmpty {
            start = min(64 - self.rest.count, bytes.count)
            self.rest.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<start]))
            guard self.rest.count == 64 else { return }
            self.absorbRest()
        }
        while bytes.count - start >= 64 {
            self.absorb(UnsafeBufferPointer(rebasing: bytes[start..<(start + 64)]))
            start += 64
        }
        self.rest.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
    }

    package mutating func append(_ byte: UInt8) {
        self.length &+= 1
        self.rest.append(byte)
        if self.rest.count == 64 { self.absorbRest() }
    }

    /// The digest of what was appended, 20 bytes. Begins anew, with its memory kept.
    package mutating func finish() -> [UInt8] {
        let bits = self.length &* 8
        self.append(0x80)
        while self.rest.count != 56 { self.append(0) }
        for shift in stride(from: 56 as UInt64, through: 0, by: -8) {
            self.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
        let words = [self.state.0, self.state.1, self.state.2, self.state.3, self.state.4]
        self.state = SHA1.initial
        self.length = 0
        return [UInt8](unsafeUninitializedCapacity: 20) { buffer, count in
            for index in 0..<20 {
                buffer[index] = UInt8(truncatingIfNeeded: words[index / 4] >> UInt32(24 - index % 4 * 8))
            }
            count = 20
        }
    }

    private mutating func absorbRest() {
        var state = self.state
        self.rest.withUnsafeBufferPointer { SHA1.absorb($0, &state) }
        self.state = state
        self.rest.removeAll(keepingCapacity: true)
    }

    private mutating func absorb(_ block: UnsafeBufferPointer<UInt8>) {
        SHA1.absorb(block, &self.state)
    }

    private static func absorb(
        _ block: UnsafeBufferPointer<UInt8>,
        _ state: inout (UInt32, UInt32, UInt32, UInt32, UInt32)
    ) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { words in
            for index in 0..<16 {
                words[index] =
                    UInt32(block[index &* 4]) << 24 | UInt32(block[index &* 4 &+ 1]) << 16
                    | UInt32(block[index &* 4 &+ 2]) << 8 | UInt32(block[index &* 4 &+ 3])
            }
            for index in 16..<80 {
                let word = words[index &- 3] ^ words[index &- 8] ^ words[index &- 14] ^ words[index &- 16]
                words[index] = word << 1 | word >> 31
            }
            var (a, b, c, d, e) = state
            for index in 0..<80 {
                let (mixed, constant): (UInt32, UInt32) =
                    switch index {
                    case 0..<20: (b & c | ~b & d, 0x5A82_7999)
                    case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                    case 40..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                let next = (a << 5 | a >> 27) &+ mixed &+ e &+ constant &+ words[index]
                (e, d, c, b, a) = (d, c, b << 30 | b >> 2, a, next)
            }
            state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e)
        }
    }
}
