import BrasaPlatform
import BrasaQueries
import Synchronization

/// What is built, kept and dropped.
extension IndexRegistry {
    /// What the background thread has to do next.
    enum Work {
        case build(Index)
        /// Take it out of its database's order.
        case drop(Index)
    }

    func nextWork() -> Work? {
        let now = self.clock.monotonic()
        return self.state.withLock { state in
            if state.dropped.isEmpty { self.tidy(&state, now: now) }
            if let dropped = state.dropped.popLast() {
                self.hasChanged()
                return .drop(dropped)
            }
            let next = state.records.values.lazy.filter { $0.state == .building }.min { $0.number < $1.number }
            return next?.index.map { .build($0) }
        }
    }

    private func tidy(_ state: inout State, now: MonotonicTime) {
        for (key, record) in state.records {
            switch record.state {
            case .abandoned(let until, _):
                // Known for a while yet, so that one that fails again waits longer.
                if until + self.restingTime(failures: record.failures) <= now {
                    state.records[key] = nil
                }
            case .building, .ready:
                if record.index?.counts.isOverflowing ?? true { self.giveUp(key, .entries, &state, now: now) }
            }
        }
        let idleSince = now - self.configuration.indexIdle
        if let idle = state.leastWanted(before: idleSince, { state, _ in state == .ready }) {
            state.remove(idle)
        } else if state.bytes > self.configuration.indexBytesMax {
            self.makeRoom(&state, now: now)
        }
    }

    /// A build takes room only from indexes that rest, or ends; what grew by commits takes it from the least recently
    /// wanted, one that no query is reading if there is any. So indexes that do not fit together do not drive each other
    /// out again and again.
    private func makeRoom(_ state: inout State, now: MonotonicTime) {
        let growing = state.records.first { $0.value.state == .building && $0.value.index?.counts.bytes ?? 0 > 0 }
        if let growing {
            if let resting = state.leastWanted(before: self.restingSince(now), { state, _ in state == .ready }) {
                state.remove(resting)
            } else {
                self.giveUp(growing.key, .memory, &state, now: now)
            }
        } else if let key = state.leastWanted({ state, _ in state == .ready }) {
            state.remove(key)
        } else if let key = state.records.filter({ $0.value.state == .ready }).min(by: { $0.value.rank < $1.value.rank }
        )?.key {
            state.remove(key)
        }
    }

    /// Whether there may be another index; makes the place if need be.
    func hasPlace(for key: Key, _ state: inout State, now: MonotonicTime) -> Bool {
        let (count, siblings) = (state.records.count, state.count(like: key))
        let (countMax, siblingsMax) = (self.configuration.indexesMax, self.configuration.collectionIndexesMax)
        guard count >= countMax / 2 || siblings >= siblingsMax / 2 else { return true }
        let span = self.configuration.indexRetry
        guard state.wishes.isRepeated(key, at: now, within: span) else { return false }
        guard count >= countMax || siblings >= siblingsMax else { return true }
        let sibling = siblings >= siblingsMax ? key : nil
        let hardlyUsedSince = now - span / Self.hardlyUsedRestDivisor
        let hardlyUsed = state.leastWanted(like: sibling, before: hardlyUsedSince) { state, uses in
            state != .building && uses <= Self.hardlyUsedMax
        }
        guard
            let resting = hardlyUsed
                ?? state.leastWanted(like: sibling, before: self.restingSince(now), { state, _ in state != .building })
        else { return false }
        state.remove(resting)
        return true
    }

    /// An index that so few queries used rests only for this part of the time.
    private static var hardlyUsedMax: Int { 2 }
    private static var hardlyUsedRestDivisor: Int { 10 }

    /// An index that was last wanted before this may have to make room.
    private func restingSince(_ now: MonotonicTime) -> MonotonicTime { now - self.configuration.indexRetry }

    private func giveUp(_ key: Key, _ reason: IndexAbandonment, _ state: inout State, now: MonotonicTime) {
        let failures = (state.records[key]?.failures ?? 0) + 1
        state.abandon(key, until: now + self.restingTime(failures: failures), reason)
    }

    /// For how long an index is not tried again: twice as long each time.
    private func restingTime(failures: Int) -> Duration {
        min(self.configuration.indexRetry, Self.retryMax) * (1 << min(max(failures - 1, 0), Self.doublingsMax))
    }

    private static var retryMax: Duration { .seconds(1 << 32) }
    private static var doublingsMax: Int { 7 }
}

extension IndexRegistry.Key {
    /// Whether the indexes are of collections with the same id in the same database.
    fileprivate func isLike(_ other: Self) -> Bool {
        self.definition.collectionID == other.definition.collectionID && self.database == other.database
    }
}

extension IndexRegistry.Record {
    /// The lesser is to go first.
    fileprivate struct Rank: Comparable {
        let lastWanted: MonotonicTime
        let number: Int

        static func < (left: Rank, right: Rank) -> Bool {
            (left.lastWanted, left.number) < (right.lastWanted, right.number)
        }
    }

    fileprivate var rank: Rank { Rank(lastWanted: self.usage.lastWanted, number: self.number) }
}

extension IndexRegistry.State {
    /// How many there are of the collections that this one is of.
    fileprivate func count(like key: IndexRegistry.Key) -> Int {
        self.records.keys.reduce(0) { $1.isLike(key) ? $0 + 1 : $0 }
    }

    /// Of those that are of interest and that no query is reading, the one to go first; of all collections if `sibling` is
    /// nil, and however lately it was wanted if `time` is.
    mutating func leastWanted(
        like sibling: IndexRegistry.Key? = nil,
        before time: MonotonicTime? = nil,
        _ isOfInterest: (_ state: IndexRegistry.Record.State, _ uses: Int) -> Bool
    ) -> IndexRegistry.Key? {
        var least: (key: IndexRegistry.Key, rank: IndexRegistry.Record.Rank)?
        // Over a list of the keys: an iterator over the dictionary would be a second reference to what is in it.
        for key in Array(self.records.keys) {
            guard sibling.map(key.isLike) ?? true, let place = self.records.index(forKey: key) else { continue }
            let rank = self.records.values[place].rank
            let (recordState, uses) = (self.records.values[place].state, self.records.values[place].usage.uses)
            guard isOfInterest(recordState, uses), time.map({ rank.lastWanted < $0 }) ?? true,
                least.map({ rank < $0.rank }) ?? true
            else { continue }
            if self.records.values[place].index == nil || self.isUnread(place) { least = (key, rank) }
        }
        return least?.key
    }

    private mutating func isUnread(_ place: Dictionary<IndexRegistry.Key, IndexRegistry.Record>.Index) -> Bool {
        isKnownUniquelyReferenced(&self.records.values[place].index)
    }
}
