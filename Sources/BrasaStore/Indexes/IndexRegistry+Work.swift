import BrasaPlatform
import BrasaQueries
import Synchronization

/// What is built, and what goes.
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
            if state.begun == nil { state.chooseBuild() }
            // What is dropped counts until it is out of its order.
            if state.dropped.isEmpty { self.tidy(&state, now: now) }
            if let dropped = state.dropped.popLast() {
                self.hasChanged()
                return .drop(dropped)
            }
            state.begun = state.builds.first
            return state.begun.flatMap { state.records[$0]?.index }.map { .build($0) }
        }
    }

    /// Looks at all indexes only when one of them has to go.
    private func tidy(_ state: inout State, now: MonotonicTime) {
        if self.total.takeOverflow() {
            for key in state.keys(where: { $0.index?.counts.isOverflowing ?? false }) {
                self.fail(key, .entries, &state, now: now)
            }
        }
        if let due = state.nextDue, due <= now { self.removeDue(&state, now: now) }
        guard state.dropped.isEmpty else { return }
        if self.total.cost > self.configuration.indexBytesMax {
            self.makeRoom(&state, now: now)
        } else if let next = state.builds.first, !state.isBegun(next) {
            self.makePlace(for: next, &state, now: now)
        }
    }

    /// What nobody used for long goes, and failures are forgotten.
    private func removeDue(_ state: inout State, now: MonotonicTime) {
        state.nextDue = nil
        for key in state.keys(where: { _ in true }) {
            guard let due = state.records[key].flatMap(self.due) else { continue }
            if due <= now { state.remove(key) } else { state.isDue(at: due) }
        }
    }

    private func due(_ record: Record) -> MonotonicTime? {
        switch record.state {
        case .building: nil
        case .ready: record.usage.lastWanted + self.configuration.indexIdle
        case .failed: record.backOff.end
        }
    }

    /// The index is complete. It is ready unless room has to be made for it first.
    func isBuilt(_ index: Index) {
        let key = Key(database: index.database, definition: index.definition)
        let now = self.clock.monotonic()
        self.state.withLock { state in
            guard let place = state.records.index(forKey: key), state.records.values[place].index === index,
                !index.counts.isOverflowing, self.total.cost <= self.configuration.indexBytesMax
            else { return }
            state.records.values[place].state = .ready
            // It is as good as new, however long the build took.
            index.usage.isWanted(now)
            state.isDue(at: now + self.configuration.indexIdle)
            state.endBuild(key)
            self.hasChanged()
        }
    }

    /// The index goes, whether it is ready or being built, and is not tried again before a time.
    func fail(_ key: Key, _ failure: IndexFailure, _ state: inout State, now: MonotonicTime) {
        guard var record = state.records[key], let index = record.index else { return }
        record.index = nil
        record.state = .failed(failure)
        record.backOff.fail(at: now)
        state.records[key] = record
        state.dropped.append(index)
        state.endBuild(key)
        state.isDue(at: record.backOff.end)
        state.boundFailures(of: key.database)
    }
}

extension IndexRegistry.State {
    /// In the order of requests.
    func keys(where isWanted: (IndexRegistry.Record) -> Bool) -> [IndexRegistry.Key] {
        self.records.filter { isWanted($0.value) }.sorted { $0.value.number < $1.value.number }.map(\.key)
    }

    func isBegun(_ key: IndexRegistry.Key) -> Bool { self.records[key].map(\.cost) ?? 0 > 0 }

    /// The index is to be taken out of the order, and forgotten.
    mutating func remove(_ key: IndexRegistry.Key) {
        guard let index = self.records.removeValue(forKey: key)?.index else { return }
        self.dropped.append(index)
    }

    /// There is something to be removed then.
    mutating func isDue(at time: MonotonicTime) { self.nextDue = self.nextDue.map { min($0, time) } ?? time }

    /// The next build is another database's, if one waits, however many this one asks for.
    mutating func endBuild(_ key: IndexRegistry.Key) {
        guard let place = self.builds.firstIndex(of: key) else { return }
        self.builds.remove(at: place)
        if self.begun == key { self.begun = nil }
        self.builds =
            self.builds.filter { $0.database != key.database } + self.builds.filter { $0.database == key.database }
    }
}
