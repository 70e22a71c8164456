import BrasaDocuments
import NIOCore

/// Bytes, and what they are looked for by.
struct HashedBytes {
    let bytes: ByteBuffer
    let hash: Int

    init(_ bytes: ByteBuffer) {
        self.bytes = bytes
        self.hash = bytes.withUnsafeReadableBytes { bytes in
            var hasher = Hasher()
            hasher.combine(bytes: bytes)
            return hasher.finalize()
        }
    }

    fileprivate func isSame(as bytes: [UInt8]) -> Bool {
        self.bytes.withUnsafeReadableBytes { own in bytes.withUnsafeBytes { ByteOrder.equal(own, $0) } }
    }
}

/// What was made of bytes that came more than once on an event loop lately.
///
/// A table without lists: by their hash, bytes have two places. They get one when they come for the second time while what
/// has that place has not come: what comes once costs little more than its hash, and pushes out nothing that comes often. A
/// full table is emptied.
///
/// Unchecked, because it belongs to one event loop.
final class RecentTable<Made: AnyObject & Sendable>: @unchecked Sendable {
    private struct Kept {
        let made: Made
        let bytes: [UInt8]
        let hash: Int
    }

    private struct Place {
        var kept: Kept?
        /// The hash of what came since the kept one did.
        var newcomer: Int?
    }

    private var places: [Place]
    /// Of all that is kept.
    private(set) var keptBytes = 0
    private let keptBytesMax: Int

    /// - Parameter placeCount: a power of two.
    init(placeCount: Int, keptBytesMax: Int) {
        self.places = Array(repeating: Place(), count: placeCount)
        self.keptBytesMax = keptBytesMax
    }

    func find(_ bytes: HashedBytes) -> Made? {
        self.find(bytes, at: self.first(bytes)) ?? self.find(bytes, at: self.second(bytes))
    }

    private func find(_ bytes: HashedBytes, at number: Int) -> Made? {
        guard let kept = self.places[number].kept, kept.hash == bytes.hash, bytes.isSame(as: kept.bytes) else {
            return nil
        }
        self.places[number].newcomer = nil
        return kept.made
    }

    /// Of bytes that were not found. `make` is called if they are kept from now on; nil: they need not be.
    func note(_ bytes: HashedBytes, _ make: () -> Made?) {
        let (first, second) = (self.first(bytes), self.second(bytes))
        if self.isFree(first, for: bytes), self.places[first].kept == nil || !self.isFree(second, for: bytes) {
            self.keep(make(), of: bytes, at: first)
        } else if self.isFree(second, for: bytes) {
            self.keep(make(), of: bytes, at: second)
        } else {
            self.places[first].newcomer = bytes.hash
            self.places[second].newcomer = bytes.hash
        }
    }

    /// Whether the same came before, and what has the place did not come since.
    private func isFree(_ number: Int, for bytes: HashedBytes) -> Bool {
        self.places[number].newcomer == bytes.hash
    }

    private func keep(_ made: Made?, of bytes: HashedBytes, at number: Int) {
        guard let made else { return }
        let kept = Kept(made: made, bytes: Array(bytes.bytes.readableBytesView), hash: bytes.hash)
        self.keptBytes += kept.bytes.count - (self.places[number].kept?.bytes.count ?? 0)
        if self.keptBytes > self.keptBytesMax {
            self.places = Array(repeating: Place(), count: self.places.count)
            self.keptBytes = kept.bytes.count
        }
        self.places[number] = Place(kept: kept)
    }

    private func first(_ bytes: HashedBytes) -> Int { bytes.hash & (self.places.count - 1) }
    private func second(_ bytes: HashedBytes) -> Int { (bytes.hash >> 32) & (self.places.count - 1) }
}
