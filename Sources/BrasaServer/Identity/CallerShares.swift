import BrasaIdentity
import NIOConcurrencyHelpers

/// The shares of all callers, found by who they are when they are let in, so that neither another connection nor another token
/// gives anybody more.
final class CallerShares: Sendable {
    enum Key: Hashable, Sendable {
        /// Of who shows nothing.
        case address(PeerAddress)
        /// By all of its bytes: authorities number theirs as they like.
        case certificate([UInt8])
        /// By its id.
        case key([UInt8])
        /// By issuer and user id.
        case user([UInt8], [UInt8])
    }

    private struct Table {
        var shares: [Key: CallerShare] = [:]
        /// How many there may be before those that are of no use are looked for.
        var sweepCount = CallerShares.sweepCountMin
    }

    private static let sweepCountMin = 1_024

    private let table = NIOLockedValueBox(Table())
    let bounds: CallerBounds

    init(_ bounds: CallerBounds) {
        self.bounds = bounds
    }

    var count: Int { self.table.withLockedValue { $0.shares.count } }

    func share(of key: Key, at now: UInt64) -> CallerShare {
        self.table.withLockedValue { table in
            if let share = table.shares[key] { return share }
            if table.shares.count >= table.sweepCount { Self.sweep(&table, at: now) }
            let share = CallerShare(self.bounds)
            table.shares[key] = share
            return share
        }
    }

    /// What nobody else holds and has come to rest is what a new one would be.
    private static func sweep(_ table: inout Table, at now: UInt64) {
        var kept: [Key: CallerShare] = [:]
        for key in Array(table.shares.keys) {
            guard var share = table.shares.removeValue(forKey: key) else { continue }
            if !isKnownUniquelyReferenced(&share) || !share.isIdle(at: now) { kept[key] = share }
        }
        table.shares = kept
        table.sweepCount = max(self.sweepCountMin, kept.count * 2)
    }
}

extension ServerConfiguration {
    /// Of each caller.
    var callerBounds: CallerBounds.Values {
        CallerBounds.Values(
            callsPerSecond: self.callsPerSecondMax,
            streams: self.streamsPerCallerMax,
            listeners: self.listenersPerCallerMax,
            bytes: self.bytesPerCallerMax
        )
    }
}
