package import BrasaDocuments

/// Where a listener goes on, opaque to clients: a time, and whose. Anyone can forge one, and gains nothing: it only says
/// from which state on changes are wanted.
///
/// Bytes: version 1, the store's creation time (8, big-endian), a hash of the database's name (8), the time (8), and the
/// first four bytes of a hash of all before.
package struct ResumeToken: Hashable, Sendable {
    package let time: Timestamp
    private let store: Timestamp
    private let database: UInt64

    private static let version: UInt8 = 1
    private static let count = 29

    init(time: Timestamp, database: DatabaseName, store: Timestamp) {
        self.time = time
        self.store = store
        self.database = Self.hash(database.bytes)
    }

    /// Nil when the bytes are damaged or no token of ours, or when the token is of another store or database.
    init?(parsing bytes: [UInt8], database: DatabaseName, store: Timestamp) {
        guard bytes.count == Self.count, bytes[0] == Self.version else { return nil }
        func number(at start: Int) -> UInt64 {
            bytes[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.store = Timestamp(microseconds: Int64(bitPattern: number(at: 1)))
        self.database = number(at: 9)
        self.time = Timestamp(microseconds: Int64(bitPattern: number(at: 17)))
        guard self.store == store, self.database == Self.hash(database.bytes), self.bytes == bytes else { return nil }
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.count)
        bytes.append(Self.version)
        for number in [
            UInt64(bitPattern: self.store.microseconds), self.database, UInt64(bitPattern: self.time.microseconds),
        ] {
            Self.append(number, 8, to: &bytes)
        }
        Self.append(Self.hash(bytes), 4, to: &bytes)
        return bytes
    }

    private static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
        for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * index))) }
    }

    /// FNV-1a, its bits spread once more so that the upper ones depend on every byte.
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        hash ^= hash >> 32
        hash = hash &* 0x9e37_79b9_7f4a_7c15
        return hash ^ (hash >> 29)
    }
}
