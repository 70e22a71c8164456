import BrasaIdentity
import NIOConcurrencyHelpers

/// The rates of all callers, found by who they are when they are let in, so that neither another connection nor another token
/// gives anybody more.
final class CallRates: Sendable {
    enum Key: Hashable, Sendable {
        /// Of who shows nothing, or a certificate.
        case address(PeerAddress)
        /// By its id.
        case key([UInt8])
        /// By issuer and user id.
        case user([UInt8], [UInt8])
    }

    private struct Table {
        var rates: [Key: CallRate] = [:]
        /// How many there may be before those that are of no use are looked for.
        var sweepCount = CallRates.sweepCountMin
    }

    private static let sweepCountMin = 1_024

    private let table = NIOLockedValueBox(Table())
    private let perSecond: Int

    init(perSecond: Int) {
        self.perSecond = perSecond
    }

    var count: Int { self.table.withLockedValue { $0.rates.count } }

    func rate(of key: Key, at now: UInt64) -> CallRate {
        self.table.withLockedValue { table in
            if let rate = table.rates[key] { return rate }
            if table.rates.count >= table.sweepCount { Self.sweep(&table, at: now) }
            let rate = CallRate(perSecond: self.perSecond)
            table.rates[key] = rate
            return rate
        }
    }

    /// What nobody else holds and has come to rest is what a new one would be.
    private static func sweep(_ table: inout Table, at now: UInt64) {
        var kept: [Key: CallRate] = [:]
        for key in Array(table.rates.keys) {
            guard var rate = table.rates.removeValue(forKey: key) else { continue }
            if !isKnownUniquelyReferenced(&rate) || !rate.isIdle(at: now) { kept[key] = rate }
        }
        table.rates = kept
        table.sweepCount = max(self.sweepCountMin, kept.count * 2)
    }
}
