import BrasaBytes

/// Where a listing goes on: after which name, and a fingerprint of what was asked, so that a token is good only with the
/// parameters that it was made for.
///
/// Bytes: version 1, the fingerprint (8, big-endian), then the last name's bytes as they are. Carried as base64url.
struct PageToken {
    private static let version: UInt8 = 1

    var fingerprint: UInt64
    var last: [UInt8]

    init(fingerprint: UInt64, last: [UInt8]) {
        self.fingerprint = fingerprint
        self.last = last
    }

    /// Nil when the text is no token of ours, or one for another request.
    init?(parsing text: [UInt8], for fingerprint: UInt64) {
        guard let bytes = Base64.decode(text, .url), bytes.count >= 9, bytes[0] == Self.version else { return nil }
        let stored = bytes[1..<9].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        guard stored == fingerprint else { return nil }
        self.init(fingerprint: stored, last: Array(bytes[9...]))
    }

    var text: [UInt8] {
        var bytes: [UInt8] = [Self.version]
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: self.fingerprint >> UInt64(shift)))
        }
        bytes.append(contentsOf: self.last)
        return Base64.encode(bytes, .url, isPadded: false)
    }
}

/// FNV-1a, 64 bits: tells one request's parameters from another's. Not a protection against forgery, and none is
/// needed: a token only names a place to go on from.
struct Fingerprint {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Adds one parameter; its length goes in too, so that neighbours cannot run together.
    mutating func add(_ bytes: some Collection<UInt8>) {
        self.mix(UInt64(bytes.count))
        for byte in bytes { self.mix(UInt64(byte)) }
    }

    mutating func add(_ flag: Bool) {
        self.mix(flag ? 1 : 0)
    }

    mutating func add(_ number: Int64) {
        self.mix(UInt64(bitPattern: number))
    }

    private mutating func mix(_ part: UInt64) {
        self.value = (self.value ^ part) &* 0x100_0000_01b3
    }
}
