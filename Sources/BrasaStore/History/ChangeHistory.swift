package import BrasaDocuments
import Synchronization

/// Which document changed when.
package struct Change: Sendable {
    package let time: Timestamp
    package let database: DatabaseHandle
    package let path: ResourcePath
}

/// The latest changes in the order of their commits, durable or not: at most `changesMax` of them, the oldest go first.
/// Listeners and the validation of optimistic transactions follow it.
final class ChangeHistory: Sendable {
    private struct State {
        var changes = FirstInFirstOut<Change>()
        /// Every change after this time is there. A commit's, or earlier than all of them.
        var completeAfter: Int64

        func newestCommit(through time: Int64) -> Int64? {
            guard time >= self.completeAfter else { return nil }
            let next = self.changes.firstIndex { $0.time.microseconds <= time }
            return next > 0 ? self.changes[next - 1].time.microseconds : self.completeAfter
        }
    }

    private let state: Mutex<State>
    private let changesMax: Int

    init(completeAfter: Int64, changesMax: Int) {
        self.state = Mutex(State(completeAfter: completeAfter))
        self.changesMax = changesMax
    }

    /// One commit's changes; each commit's time is later than the one before.
    func append(_ changes: [DocumentChange], time: Int64) {
        self.state.withLock { state in
            for change in changes {
                state.changes.append(
                    Change(time: Timestamp(microseconds: time), database: change.database, path: change.path)
                )
            }
            while state.changes.count > self.changesMax, let oldest = state.changes.popFirst() {
                state.completeAfter = oldest.time.microseconds
            }
        }
    }

    /// Changes up to `time` may have happened that are not here.
    func forget(through time: Int64) {
        self.state.withLock { $0.completeAfter = max($0.completeAfter, time) }
    }

    var count: Int { self.state.withLock { $0.changes.count } }

    /// Changes after this are all there.
    var completeAfter: Int64 { self.state.withLock { $0.completeAfter } }

    /// The time of the newest commit at or before `time`; nil when it is no longer known.
    func newestCommit(through time: Int64) -> Int64? {
        self.state.withLock { $0.newestCommit(through: time) }
    }

    /// The last time up to `end` at which that commit is the newest; nil when there was no such commit, or it is no longer
    /// known.
    func lastTime(ofCommit time: Int64, through end: Int64) -> Int64? {
        self.state.withLock { state in
            guard end >= time, state.newestCommit(through: time) == time else { return nil }
            let next = state.changes.firstIndex { $0.time.microseconds <= time }
            guard next < state.changes.count else { return end }
            return min(end, state.changes[next].time.microseconds - 1)
        }
    }

    /// Forgets the newest changes, of a commit that did not happen.
    func removeNewest(_ count: Int) {
        self.state.withLock { $0.changes.removeLast($0.changes.count < count ? $0.changes.count : count) }
    }

    /// Up to about `limit` changes after `time` and at or before `end`, whole commits only; nil when some are already
    /// forgotten.
    func changes(after time: Int64, through end: Int64, limit: Int) -> [Change]? {
        self.state.withLock { state in
            guard time >= state.completeAfter else { return nil }
            var found: [Change] = []
            var index = state.changes.firstIndex { $0.time.microseconds <= time }
            while index < state.changes.count {
                let change = state.changes[index]
                if change.time.microseconds > end { break }
                if found.count >= limit, found.last?.time != change.time { break }
                found.append(change)
                index += 1
            }
            return found
        }
    }
}
