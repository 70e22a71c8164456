import Synchronization

/// How much each caller may have. One for the server; others may hold from now on at any time.
package final class CallerBounds: Sendable {
    package enum Bound: String, Sendable, CaseIterable {
        case calls, streams, listeners, bytes
    }

    /// Nil: as much as they like.
    package struct Values: Sendable, Hashable {
        package var callsPerSecond: Int?
        package var streams: Int?
        package var listeners: Int?
        /// Of what is kept for calls at a time.
        package var bytes: Int?

        package init(callsPerSecond: Int? = nil, streams: Int? = nil, listeners: Int? = nil, bytes: Int? = nil) {
            self.callsPerSecond = callsPerSecond
            self.streams = streams
            self.listeners = listeners
            self.bytes = bytes
        }
    }

    /// Of the clock for each call; zero: there is no bound.
    fileprivate let callNanoseconds = Atomic<UInt64>(0)
    fileprivate let streamsMax = Atomic<Int>(.max)
    fileprivate let listenersMax = Atomic<Int>(.max)
    fileprivate let bytesMax = Atomic<Int>(.max)
    private let refusedCalls = Atomic<Int>(0)
    private let refusedStreams = Atomic<Int>(0)
    private let refusedListeners = Atomic<Int>(0)
    private let refusedBytes = Atomic<Int>(0)

    package init(_ values: Values = Values()) {
        self.set(values)
    }

    /// What callers have stays, where they may have less.
    package func set(_ values: Values) {
        let share = values.callsPerSecond.map { CallerShare.second / UInt64(max(1, $0)) } ?? 0
        self.callNanoseconds.store(share, ordering: .relaxed)
        self.streamsMax.store(values.streams ?? .max, ordering: .relaxed)
        self.listenersMax.store(values.listeners ?? .max, ordering: .relaxed)
        self.bytesMax.store(values.bytes ?? .max, ordering: .relaxed)
    }

    /// How often callers were refused more.
    package func refusals(_ bound: Bound) -> Int {
        switch bound {
        case .calls: self.refusedCalls.load(ordering: .relaxed)
        case .streams: self.refusedStreams.load(ordering: .relaxed)
        case .listeners: self.refusedListeners.load(ordering: .relaxed)
        case .bytes: self.refusedBytes.load(ordering: .relaxed)
        }
    }

    fileprivate func countRefusal(_ bound: Bound) {
        switch bound {
        case .calls: self.refusedCalls.add(1, ordering: .relaxed)
        case .streams: self.refusedStreams.add(1, ordering: .relaxed)
        case .listeners: self.refusedListeners.add(1, ordering: .relaxed)
        case .bytes: self.refusedBytes.add(1, ordering: .relaxed)
        }
    }
}

/// What one caller has of what they may: so many calls a second, and as many at once after a second without any; and so many
/// streams, listeners and bytes at a time. One for all event loops; where a bound is set, a call costs it one atomic exchange.
package final class CallerShare: Sendable {
    fileprivate static let second: UInt64 = 1_000_000_000

    private let bounds: CallerBounds
    /// When the calls so far are paid for.
    private let paid = Atomic<UInt64>(0)
    private let streams = Atomic<Int>(0)
    private let listeners = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)

    package init(_ bounds: CallerBounds) {
        self.bounds = bounds
    }

    /// - Parameter now: nanoseconds of a clock that never goes back, the same for all calls. Asked where there is a bound.
    /// - Returns: nil when the call may go on, else after how many nanoseconds one may.
    package func take(at now: @autoclosure () -> UInt64) -> UInt64? {
        let share = self.bounds.callNanoseconds.load(ordering: .relaxed)
        guard share > 0 else { return nil }
        let now = now()
        var paid = self.paid.load(ordering: .relaxed)
        while true {
            let after = max(paid, now) + share
            let credit = after - now
            guard credit <= Self.second else {
                self.bounds.countRefusal(.calls)
                return credit - Self.second
            }
            let (isTaken, found) = self.paid.weakCompareExchange(expected: paid, desired: after, ordering: .relaxed)
            if isTaken { return nil }
            paid = found
        }
    }

    package var boundsStreams: Bool { self.bounds.streamsMax.load(ordering: .relaxed) < .max }
    package var boundsBytes: Bool { self.bounds.bytesMax.load(ordering: .relaxed) < .max }

    /// Nothing is known of it that one that is new would not know, if nobody else holds it.
    package func isIdle(at now: UInt64) -> Bool { self.paid.load(ordering: .relaxed) <= now }

    fileprivate func add(_ count: Int, _ bound: CallerBounds.Bound) -> Bool {
        let (sum, most) =
            switch bound {
            case .calls: (0, 0)
            case .streams:
                (
                    self.streams.add(count, ordering: .relaxed).newValue,
                    self.bounds.streamsMax.load(ordering: .relaxed)
                )
            case .listeners:
                (
                    self.listeners.add(count, ordering: .relaxed).newValue,
                    self.bounds.listenersMax.load(ordering: .relaxed)
                )
            case .bytes:
                (self.bytes.add(count, ordering: .relaxed).newValue, self.bounds.bytesMax.load(ordering: .relaxed))
            }
        guard count > 0, sum > most else { return true }
        _ = self.add(-count, bound)
        self.bounds.countRefusal(bound)
        return false
    }
}

/// What one call or connection has of its caller's share, until nobody has this any more. On one event loop at a time;
/// unchecked, because calls carry it there.
package final class CallerClaim: @unchecked Sendable {
    private let share: CallerShare
    private var streams = 0
    private var listeners = 0
    private var bytes = 0

    package init(_ share: CallerShare) {
        self.share = share
    }

    deinit {
        _ = self.share.add(-self.streams, .streams)
        _ = self.share.add(-self.listeners, .listeners)
        _ = self.share.add(-self.bytes, .bytes)
    }

    /// False: as many are open as may be.
    package func openStream() -> Bool { self.set(\.streams, to: 1, .streams) }
    /// So many in all. False, and nothing changes: it is more than the caller may have.
    package func setListeners(_ count: Int) -> Bool { self.set(\.listeners, to: count, .listeners) }
    /// So many in all. False, and nothing changes: it is more than the caller may have.
    package func setBytes(_ count: Int) -> Bool { self.set(\.bytes, to: count, .bytes) }

    private func set(
        _ count: ReferenceWritableKeyPath<CallerClaim, Int>,
        to value: Int,
        _ bound: CallerBounds.Bound
    ) -> Bool {
        let change = value - self[keyPath: count]
        guard change == 0 || self.share.add(change, bound) else { return false }
        self[keyPath: count] = value
        return true
    }
}
