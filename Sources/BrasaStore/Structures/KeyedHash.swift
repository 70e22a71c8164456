import BrasaDocuments

/// SipHash-1-3 with a key of the store's own: clients choose names, so names must not choose their place in a table. The
/// standard library's hasher has a key per process, with which a simulation could not replay a run.
struct KeyedHash: Sendable {
    private let key0: UInt64
    private let key1: UInt64

    init(key0: UInt64, key1: UInt64) {
        self.key0 = key0
        self.key1 = key1
    }

    func callAsFunction(_ bytes: ByteString) -> UInt64 {
        bytes.withUnsafeBytes(self.hash)
    }

    private func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = State(
            a: self.key0 ^ 0x736f_6d65_7073_6575,
            b: self.key1 ^ 0x646f_7261_6e64_6f6d,
            c: self.key0 ^ 0x6c79_6765_6e65_7261,
            d: self.key1 ^ 0x7465_6462_7974_6573
        )
        var index = 0
        while index &+ 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            state.absorb(word)
            index &+= 8
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        var shift: UInt64 = 0
        while index < bytes.count {
            last |= UInt64(bytes[index]) << shift
            shift &+= 8
            index &+= 1
        }
        state.absorb(last)
        return state.finish()
    }

    private struct State {
        var a: UInt64
        var b: UInt64
        var c: UInt64
        var d: UInt64

        @inline(__always)
        mutating func absorb(_ word: UInt64) {
            self.d ^= word
            self.round()
            self.a ^= word
        }

        @inline(__always)
        mutating func finish() -> UInt64 {
            self.c ^= 0xff
            self.round()
            self.round()
            self.round()
            return self.a ^ self.b ^ self.c ^ self.d
        }

        @inline(__always)
        private mutating func round() {
            self.a &+= self.b
            self.b = Self.rotate(self.b, 13) ^ self.a
            self.a = Self.rotate(self.a, 32)
            self.c &+= self.d
            self.d = Self.rotate(self.d, 16) ^ self.c
            self.a &+= self.d
            self.d = Self.rotate(self.d, 21) ^ self.a
            self.c &+= self.b
            self.b = Self.rotate(self.b, 17) ^ self.c
            self.c = Self.rotate(self.c, 32)
        }

        @inline(__always)
        private static func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 {
            (word &<< count) | (word &>> (64 &- count))
        }
    }
}
