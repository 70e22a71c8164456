package import BrasaDocuments
import BrasaStore

/// Where a listener goes on, opaque to clients: a time, and whose. Anyone can forge one, and gains nothing: it only says
/// from which state on changes are wanted.
///
/// While the store stays open, a time says which state is meant. It may not after that: the disk may have lost commits,
/// older files may have been put back, or the clock may have been set back, so that commits still come at or before the
/// time. So there is the newest commit in it too: if the store has that, it has everything before it.
///
/// Bytes: version 2, the store's creation time (8, big-endian), a hash of the database's name (8), the time (8), the time
/// of the database's newest commit at that time (8), the store's life (8), and the first four bytes of a hash of all before.
package struct ResumeToken: Hashable, Sendable {
    package let time: Timestamp
    /// All bits but the highest set: not known.
    private let commit: Timestamp
    private let life: UInt64
    private let store: Timestamp
    private let database: UInt64

    private static let version: UInt8 = 2
    private static let count = 45
    private static let unknown = Timestamp(microseconds: .max)

    init(time: Timestamp, database: DatabaseHandle, store: Store) {
        self.init(
            time: time,
            commit: store.newestCommit(at: time, in: database),
            life: store.life,
            database: database.name,
            store: store.creationTime
        )
    }

    init(time: Timestamp, commit: Timestamp?, life: UInt64, database: DatabaseName, store: Timestamp) {
        self.time = time
        self.commit = commit ?? Self.unknown
        self.life = life
        self.store = store
        self.database = Self.hash(database.bytes)
    }

    /// Nil when the bytes are damaged or no token of ours.
    init?(parsing bytes: [UInt8]) {
        guard bytes.count == Self.count, bytes[0] == Self.version else { return nil }
        func number(at start: Int) -> UInt64 {
            bytes[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        func time(at start: Int) -> Timestamp { Timestamp(microseconds: Int64(bitPattern: number(at: start))) }
        self.store = time(at: 1)
        self.database = number(at: 9)
        self.time = time(at: 17)
        self.commit = time(at: 25)
        self.life = number(at: 33)
        guard self.bytes == bytes else { return nil }
    }

    /// The last time at which the store has the state that the token was given for, as far as it is known; nil when it is of
    /// another store or database, or when it is not certain that the store has that state. It may be too old, or no time of
    /// the store's.
    func start(in database: DatabaseHandle, of store: Store) -> Timestamp? {
        guard self.store == store.creationTime, self.database == Self.hash(database.name.bytes) else { return nil }
        guard self.life == store.life else {
            return self.commit <= self.time ? store.lastTime(ofCommit: self.commit, in: database) : nil
        }
        guard self.time >= store.creationTime else { return nil }
        return store.lastTime(as: self.time, in: database) ?? self.time
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.count)
        bytes.append(Self.version)
        func bits(_ time: Timestamp) -> UInt64 { UInt64(bitPattern: time.microseconds) }
        for number in [bits(self.store), self.database, bits(self.time), bits(self.commit), self.life] {
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
