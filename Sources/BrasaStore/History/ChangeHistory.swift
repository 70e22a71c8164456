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
        /// Every change after this time is there.
        var completeAfter: Int64
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

    /// Changes after this are all there.
    var completeAfter: Int64 { self.state.withLock { $0.completeAfter } }

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
