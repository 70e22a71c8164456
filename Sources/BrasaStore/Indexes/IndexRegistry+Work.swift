import BrasaPlatform
import Synchronization

/// What is built, kept and dropped.
extension IndexRegistry {
    /// What the background thread has to do next.
    enum Work {
        case build(Index)
        /// Take it out of all shards.
        case drop(Index)
    }

    func nextWork() -> Work? {
        let now = self.clock.monotonic()
        return self.state.withLock { state in
            if state.dropped.isEmpty { self.tidy(&state, now: now) }
            if let dropped = state.dropped.popLast() { return .drop(dropped) }
            let next = state.records.values.lazy.filter { $0.state == .building }.min { $0.number < $1.number }
            return next?.index.map { .build($0) }
        }
    }

    private func tidy(_ state: inout State, now: Int64) {
        for (key, record) in state.records {
            switch record.state {
            case .abandoned(let until): if until <= now { state.records[key] = nil }
            case .building, .ready:
                if record.index?.counts.isOverflowing ?? true { state.abandon(key, until: self.retryTime(now)) }
            }
        }
        let idleSince = now.reduced(by: self.configuration.indexIdle.wholeNanoseconds)
        if let idle = state.leastWanted(before: idleSince, { $0 == .ready }) {
            state.remove(idle)
        } else if state.bytes > self.configuration.indexBytesMax {
            self.makeRoom(&state, now: now)
        }
    }

    /// A build takes room only from indexes that rest, or ends; what grew by commits takes it from the least recently
    /// wanted, one that no query is reading if there is any. So indexes that do not fit together do not drive each other
    /// out again and again.
    private func makeRoom(_ state: inout State, now: Int64) {
        let growing = state.records.first { $0.value.state == .building && $0.value.index?.counts.bytes ?? 0 > 0 }
        if let growing {
            if let resting = state.leastWanted(before: self.restingSince(now), { $0 == .ready }) {
                state.remove(resting)
            } else {
                state.abandon(growing.key, until: self.retryTime(now))
            }
        } else if let key = state.leastWanted(before: .max, { $0 == .ready }) {
            state.remove(key)
        } else if let key = state.records.filter({ $0.value.state == .ready }).min(by: { $0.value.rank < $1.value.rank }
        )?.key {
            state.remove(key)
        }
    }

    /// An index that was last wanted before this may have to make room.
    func restingSince(_ now: Int64) -> Int64 { now.reduced(by: self.configuration.indexRetry.wholeNanoseconds) }

    /// When an index that found no room may be asked for again.
    private func retryTime(_ now: Int64) -> Int64 {
        let (time, overflow) = now.addingReportingOverflow(self.configuration.indexRetry.wholeNanoseconds)
        return overflow ? .max : time
    }
}

extension IndexRegistry.Record {
    /// The lesser is to go first.
    fileprivate struct Rank: Comparable {
        let lastWanted: Int64
        let number: Int

        static func < (left: Rank, right: Rank) -> Bool {
            (left.lastWanted, left.number) < (right.lastWanted, right.number)
        }
    }

    fileprivate var rank: Rank { Rank(lastWanted: self.lastWanted, number: self.number) }
}

extension IndexRegistry.State {
    /// Of those that are in a state of interest and that no query is reading, the one to go first.
    mutating func leastWanted(
        before time: Int64,
        _ isOfInterest: (IndexRegistry.Record.State) -> Bool
    ) -> IndexRegistry.Key? {
        var least: (key: IndexRegistry.Key, rank: IndexRegistry.Record.Rank)?
        // Over a list of the keys: an iterator over the dictionary would be a second reference to what is in it.
        for key in Array(self.records.keys) {
            guard let place = self.records.index(forKey: key) else { continue }
            let rank = self.records.values[place].rank
            guard isOfInterest(self.records.values[place].state), rank.lastWanted < time,
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

extension Int64 {
    fileprivate func reduced(by amount: Int64) -> Int64 {
        let (reduced, overflow) = self.subtractingReportingOverflow(amount)
        return overflow ? .min : reduced
    }
}
