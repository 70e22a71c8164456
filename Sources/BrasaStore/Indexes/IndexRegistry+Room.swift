import BrasaDocuments
import BrasaPlatform
import BrasaQueries

/// Which index goes when there is no room for all.
extension IndexRegistry {
    /// How many queries have to use an index until it is more than hardly used.
    private static var usesMin: Int { 3 }

    /// All together are above their bound: lets go of one. There is a database that has more than an equal share.
    func makeRoom(_ state: inout State, now: MonotonicTime) {
        let parts = state.parts
        let bytesMax = self.configuration.indexBytesMax
        // Commits may have made room meanwhile.
        guard parts.values.reduce(0, +) > bytesMax else { return }
        let share = bytesMax / parts.count
        let build = state.builds.first.flatMap { state.isBegun($0) ? $0 : nil }
        self.displace(
            Self.first(state) { parts[$0.database] ?? 0 > share },
            for: build,
            isWithinShare: build.map { parts[$0.database] ?? 0 <= share } ?? false,
            failure: .memory,
            &state,
            now: now
        )
    }

    /// The same choice among the indexes of a collection when they are as many as there may be.
    func makePlace(for build: Key, _ state: inout State, now: MonotonicTime) {
        let siblings = state.records.count { $0.key.isLike(build) && $0.value.cost > 0 }
        guard siblings >= self.configuration.collectionIndexesMax else { return }
        let first = Self.first(state) { $0.isLike(build) }
        self.displace(first, for: build, isWithinShare: false, failure: .collection, &state, now: now)
    }

    /// Lets an index go for a build or, without one, for what others grew by. The build fails instead if the index is in use,
    /// unless its database only takes its share. What is missed fails like a build; only what rested is forgotten.
    private func displace(
        _ first: Key?,
        for build: Key?,
        isWithinShare: Bool,
        failure: IndexFailure,
        _ state: inout State,
        now: MonotonicTime
    ) {
        let usage = first.flatMap { state.records[$0]?.usage }
        let isResting = usage.map { $0.lastWanted < now - self.configuration.indexRetry } ?? false
        let isInUse = usage.map { $0.uses >= Self.usesMin && !isResting } ?? false
        if let build, first == nil || isInUse && !isWithinShare {
            self.fail(build, failure, &state, now: now)
        } else if let first, isResting {
            state.remove(first)
        } else if let first {
            self.fail(first, failure, &state, now: now)
        }
    }

    /// Of the complete indexes that are candidates, the one to go first: the least recently wanted, those that are hardly used
    /// before others.
    private static func first(_ state: borrowing State, where isCandidate: (Key) -> Bool) -> Key? {
        var first: (key: Key, rank: Rank)?
        for (key, record) in state.records where record.state == .ready && isCandidate(key) {
            let usage = record.usage
            let rank = Rank(
                isUsed: usage.uses < Self.usesMin ? 0 : 1,
                lastWanted: usage.lastWanted,
                number: record.number
            )
            if first.map({ rank < $0.rank }) ?? true { first = (key, rank) }
        }
        return first?.key
    }

    /// The lesser goes first.
    private struct Rank: Comparable {
        /// 1 for an index that is more than hardly used.
        let isUsed: Int
        let lastWanted: MonotonicTime
        let number: Int

        static func < (left: Rank, right: Rank) -> Bool {
            (left.isUsed, left.lastWanted, left.number) < (right.isUsed, right.lastWanted, right.number)
        }
    }
}

extension IndexRegistry.State {
    /// What the indexes of each database that has any count as.
    fileprivate var parts: [DatabaseHandle: Int] {
        self.records.reduce(into: [:]) { parts, entry in
            let cost = entry.value.cost
            if cost > 0 { parts[entry.key.database, default: 0] += cost }
        }
    }
}

extension IndexRegistry.Key {
    /// Whether the indexes are of collections with the same id in the same database.
    fileprivate func isLike(_ other: Self) -> Bool {
        self.definition.collectionID == other.definition.collectionID && self.database == other.database
    }
}
