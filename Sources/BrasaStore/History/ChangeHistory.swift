package import BrasaDocuments
import Synchronization

/// Which document changed when.
package struct Change: Sendable {
    package let time: Timestamp
    package let database: DatabaseHandle
    package let path: ResourcePath
}

/// One database's part of the `ChangeHistory`, guarded by its lock.
final class RecentChanges: @unchecked Sendable {
    fileprivate var changes = FirstInFirstOut<Entry>()
    /// Every change after this time is there. A commit's, or earlier than all of them. Nil: as for all databases.
    fileprivate var completeAfter: Int64?
    /// Its place among the holders, while it has changes.
    fileprivate var place = 0

    fileprivate struct Entry {
        let time: Int64
        let path: ResourcePath
    }
}

/// The latest changes of each database in the order of their commits, durable or not. Listeners and the validation of
/// optimistic transactions follow them.
///
/// At most `changesMax` are there. Past it the oldest of one database go: of the one that changes, if it has more than an
/// equal share of all that are remembered, else of the one that has most; where many have some, of one that has more than
/// its share. So each keeps the changes it makes up to an equal share, whatever others do, and what nobody claims is there
/// for whoever needs it. What is older than anybody can read goes as well, so that databases at rest have no share.
final class ChangeHistory: Sendable {
    fileprivate struct State {
        /// The databases that have changes here.
        var holders: [DatabaseHandle] = []
        /// Where the last of them was found that had to give.
        var giverPlace = 0
        var count = 0
        /// What is known of databases of which nothing is: as of recovery, or of the newest change that went with all others
        /// of its database.
        var completeAfter: Int64
        /// Which databases the newest commits were in, for those who follow many.
        var order = FirstInFirstOut<(time: Int64, database: DatabaseHandle)>()
        var isOrderedAfter: Int64
    }

    private let state: Mutex<State>
    private let changesMax: Int

    private static let orderMax = 4_096

    init(completeAfter: Int64, changesMax: Int) {
        self.state = Mutex(State(completeAfter: completeAfter, isOrderedAfter: completeAfter))
        self.changesMax = changesMax
    }

    /// One commit's changes; each commit's time is later than the one before.
    func append(_ changes: [DocumentChange], time: Int64) {
        self.state.withLock { state in
            for change in changes {
                state.append(change.path, time: time, in: change.database)
                if state.count > self.changesMax { state.makeRoom(for: change.database, max: self.changesMax) }
            }
            while state.order.count > Self.orderMax, let oldest = state.order.popFirst() {
                state.isOrderedAfter = oldest.time
            }
        }
    }

    var count: Int { self.state.withLock { $0.count } }

    /// Forgets up to `limit` of a database's changes up to a time; returns how many.
    func forget(through time: Int64, in database: DatabaseHandle, limit: Int) -> Int {
        self.state.withLock { $0.forget(through: time, in: database, limit: limit) }
    }

    /// Forgets the newest changes, of a commit that did not happen.
    func removeNewest(_ changes: [DocumentChange], time: Int64) {
        self.state.withLock { state in
            for change in changes { state.removeNewest(of: change.database, time: time) }
            while !state.order.isEmpty, state.order[state.order.count - 1].time == time { state.order.removeLast(1) }
        }
    }

    /// Of no database the changes up to `time` are known, unless more is said of it.
    func begin(after time: Int64) {
        self.state.withLock { state in
            state.completeAfter = max(state.completeAfter, time)
            state.isOrderedAfter = max(state.isOrderedAfter, time)
        }
    }

    /// The database's newest commit was at `time`, or before the first one that is known.
    func begin(_ database: DatabaseHandle, after time: Int64) {
        self.state.withLock { _ in database.recent.completeAfter = time }
    }

    /// The database's changes after this are all there.
    func completeAfter(in database: DatabaseHandle) -> Int64 {
        self.state.withLock { $0.completeAfter(in: database) }
    }

    /// The time of the database's newest commit at or before `time`; nil when it is no longer known.
    func newestCommit(through time: Int64, in database: DatabaseHandle) -> Int64? {
        self.state.withLock { $0.newestCommit(through: time, in: database) }
    }

    /// The last time up to `end` at which the database is as it was at `time`; nil when that is no longer known.
    func lastTime(as time: Int64, in database: DatabaseHandle, through end: Int64) -> Int64? {
        self.state.withLock { $0.lastTime(as: time, in: database, through: end) }
    }

    /// The same for the time of a commit; nil when there was no such commit, too.
    func lastTime(ofCommit time: Int64, in database: DatabaseHandle, through end: Int64) -> Int64? {
        self.state.withLock { state in
            guard state.newestCommit(through: time, in: database) == time else { return nil }
            return state.lastTime(as: time, in: database, through: end)
        }
    }

    /// Up to about `limit` changes of a database after `time` and at or before `end`, whole commits only; nil when some are
    /// already forgotten.
    func changes(after time: Int64, through end: Int64, in database: DatabaseHandle, limit: Int) -> [Change]? {
        self.state.withLock { $0.changes(after: time, through: end, in: database, limit: limit) }
    }

    /// The same of several databases, in the order of their commits; nil when some of one of them are forgotten.
    func changes(after time: Int64, through end: Int64, in databases: Set<DatabaseHandle>, limit: Int) -> [Change]? {
        self.state.withLock { state in
            guard databases.allSatisfy({ state.completeAfter(in: $0) <= time }) else { return nil }
            return time >= state.isOrderedAfter
                ? state.ordered(after: time, through: end, in: databases, limit: limit)
                : state.merged(after: time, through: end, in: databases, limit: limit)
        }
    }
}

extension ChangeHistory.State {
    fileprivate mutating func append(_ path: ResourcePath, time: Int64, in database: DatabaseHandle) {
        let recent = database.recent
        if recent.completeAfter == nil { recent.completeAfter = self.completeAfter }
        if recent.changes.isEmpty {
            recent.place = self.holders.count
            self.holders.append(database)
        }
        recent.changes.append(RecentChanges.Entry(time: time, path: path))
        self.count += 1
        // Each database once for a commit, in whatever order its changes come.
        var index = self.order.count
        while index > 0, self.order[index - 1].time == time {
            if self.order[index - 1].database == database { return }
            index -= 1
        }
        self.order.append((time, database))
    }

    fileprivate mutating func removeNewest(of database: DatabaseHandle, time: Int64) {
        let recent = database.recent
        guard let last = recent.changes.last, last.time == time else { return }
        recent.changes.removeLast(1)
        self.count -= 1
        if recent.changes.isEmpty { self.removeHolder(database) }
    }

    fileprivate mutating func makeRoom(for database: DatabaseHandle, max: Int) {
        while self.count > max {
            let share = max / Swift.max(self.holders.count, 1)
            let isAboveShare = database.recent.changes.count > share
            guard let giver = isAboveShare ? database : self.nextGiver(above: share) else { return }
            while self.count > max, giver.recent.changes.count > share { self.removeOldest(of: giver) }
        }
    }

    /// The holder that has most of a few, or the next one that has more than `share` when none of those has. While there are
    /// too many changes there is one. Costs a look at all when hardly any has more than its share; after that the shares are
    /// even, and each gives for itself.
    private mutating func nextGiver(above share: Int) -> DatabaseHandle? {
        var giver: DatabaseHandle?
        var mostChanges = share
        for step in 0..<self.holders.count {
            if step >= Self.giversMax, giver != nil { break }
            let holder = self.holders[(self.giverPlace + step) % self.holders.count]
            guard holder.recent.changes.count > mostChanges else { continue }
            (giver, mostChanges) = (holder, holder.recent.changes.count)
        }
        if let giver { self.giverPlace = giver.recent.place }
        return giver
    }

    private static let giversMax = 64

    fileprivate mutating func forget(through time: Int64, in database: DatabaseHandle, limit: Int) -> Int {
        var count = 0
        while count < limit, let first = database.recent.changes.first, first.time <= time {
            self.removeOldest(of: database)
            count += 1
        }
        return count
    }

    private mutating func removeOldest(of database: DatabaseHandle) {
        guard let oldest = database.recent.changes.popFirst() else { return }
        database.recent.completeAfter = oldest.time
        self.count -= 1
        if database.recent.changes.isEmpty { self.removeHolder(database) }
    }

    private mutating func removeHolder(_ database: DatabaseHandle) {
        // Nothing holds the database any more: another of its name begins with this.
        self.completeAfter = max(self.completeAfter, database.recent.completeAfter ?? .min)
        guard let last = self.holders.popLast(), last != database else { return }
        self.holders[database.recent.place] = last
        last.recent.place = database.recent.place
    }

    fileprivate func completeAfter(in database: DatabaseHandle) -> Int64 {
        if let known = database.recent.completeAfter { return known }
        database.recent.completeAfter = self.completeAfter
        return self.completeAfter
    }

    private func firstIndex(after time: Int64, in database: DatabaseHandle) -> Int {
        database.recent.changes.firstIndex { $0.time <= time }
    }

    fileprivate func newestCommit(through time: Int64, in database: DatabaseHandle) -> Int64? {
        let completeAfter = self.completeAfter(in: database)
        guard time >= completeAfter else { return nil }
        let next = self.firstIndex(after: time, in: database)
        return next > 0 ? database.recent.changes[next - 1].time : completeAfter
    }

    fileprivate func lastTime(as time: Int64, in database: DatabaseHandle, through end: Int64) -> Int64? {
        guard end >= time, time >= self.completeAfter(in: database) else { return nil }
        let next = self.firstIndex(after: time, in: database)
        return next < database.recent.changes.count ? min(end, database.recent.changes[next].time - 1) : end
    }

    fileprivate func changes(
        after time: Int64,
        through end: Int64,
        in database: DatabaseHandle,
        limit: Int
    ) -> [Change]? {
        guard time >= self.completeAfter(in: database) else { return nil }
        var found: [Change] = []
        self.collect(after: time, through: end, in: database, limit: limit, &found)
        return found
    }

    private func collect(
        after time: Int64,
        through end: Int64,
        in database: DatabaseHandle,
        limit: Int,
        _ found: inout [Change]
    ) {
        var index = self.firstIndex(after: time, in: database)
        let start = found.count
        while index < database.recent.changes.count {
            let entry = database.recent.changes[index]
            if entry.time > end { break }
            if found.count - start >= limit, found.last?.time.microseconds != entry.time { break }
            found.append(Change(time: Timestamp(microseconds: entry.time), database: database, path: entry.path))
            index += 1
        }
    }

    /// Along the order of commits.
    fileprivate func ordered(
        after time: Int64,
        through end: Int64,
        in databases: Set<DatabaseHandle>,
        limit: Int
    ) -> [Change] {
        var found: [Change] = []
        var index = self.order.firstIndex { $0.time <= time }
        while index < self.order.count {
            let (commit, database) = self.order[index]
            if commit > end { break }
            if found.count >= limit, found.last?.time.microseconds != commit { break }
            index += 1
            guard databases.contains(database) else { continue }
            self.collect(after: commit - 1, through: commit, in: database, limit: .max, &found)
        }
        return found
    }

    /// Database by database, for who comes from before the order that is known. However many the databases are, it keeps few
    /// more than it returns: commits wait for it.
    fileprivate func merged(
        after time: Int64,
        through end: Int64,
        in databases: Set<DatabaseHandle>,
        limit: Int
    ) -> [Change] {
        var found: [Change] = []
        // Up to where the changes of all are there.
        var end = end
        for database in databases {
            let start = found.count
            self.collect(after: time, through: end, in: database, limit: limit, &found)
            if found.count - start >= limit, let last = found.last { end = min(end, last.time.microseconds) }
            guard found.count / 2 >= limit else { continue }
            found = Self.first(limit, of: found, through: end)
            if found.count >= limit, let last = found.last { end = min(end, last.time.microseconds) }
        }
        return Self.first(limit, of: found, through: end)
    }

    /// In the order of commits, with all of the last one's.
    private static func first(_ limit: Int, of found: [Change], through end: Int64) -> [Change] {
        var ordered = found.enumerated().filter { $0.element.time.microseconds <= end }
        ordered.sort { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        var count = min(limit, ordered.count)
        while count > 0, count < ordered.count, ordered[count].element.time == ordered[count - 1].element.time {
            count += 1
        }
        return ordered.prefix(count).map(\.element)
    }
}
