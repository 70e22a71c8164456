import BrasaDocuments
import BrasaQueries
import BrasaStore

/// One target's way from a state, or from nothing, to a later one: what differs between the two, found piece by piece and
/// told at once. It keeps a place, not results.
final class Passage {
    /// What comes next.
    enum Stage {
        case start
        /// A documents target: its paths from this one on.
        case documents([ResourcePath], Int)
        /// Documents that may have changed.
        case changed([ResourcePath], Int)
        /// What of the goal's state is not in the base's.
        case arrived(ResultReader)
        /// What of the base's state is not in the goal's.
        case left(ResultReader)
        /// A window at the base, gathered to be compared with what is shown at the goal.
        case former(ResultReader, [ResourcePath: Timestamp], shown: ArraySlice<Window.Entry>)
        case moves([Window.Move], Int)
        case counting(ResultReader, Int)
        /// The goal's results are in `present`.
        case counted
        case naming(ResultReader, BloomFilter, count: Int)
        case ended
    }

    let base: Base?
    let goal: Base
    unowned let target: WatchTarget
    private(set) var hasTold = false
    /// Monotonic.
    let began: Int64
    var stage: Stage
    /// How many more results the goal has than the base, where a filter may be due.
    var gain = 0
    /// The goal's results, where a filter may be due and they are at hand.
    var present: [ResourcePath] = []
    /// Whether a filter may be due.
    let isCounting: Bool

    /// The target's view is ready, and the goal is the watcher's position.
    init(of target: WatchTarget, from base: Base?, to goal: Base) throws(StoreError) {
        self.target = target
        self.base = base
        self.goal = goal
        self.began = target.stream.watcher.now
        self.isCounting = base != nil && target.expectedCount != nil
        self.stage = .start
        // A window goes on with the watcher, so it is looked at now.
        if let window = target.view.window { self.stage = try self.stage(of: window) }
    }

    private func stage(of window: Window) throws(StoreError) -> Stage {
        let shown = window.shown
        if self.isCounting { self.present = shown.map(\.path) }
        guard let base = self.base else { return .moves(shown.map { Window.Move(path: $0.path, isMember: true) }, 0) }
        // Not when it matters what exactly the client has: who left lately may not have been there at the base.
        if !self.isCounting, let paths = self.watcher.recentPaths(of: self.view, since: base) {
            if paths.isEmpty { return .ended }
            let members = Set(shown.map(\.path))
            return .moves(paths.map { Window.Move(path: $0, isMember: members.contains($0)) }, 0)
        }
        guard case .query(let query) = self.view.selection else { return .ended }
        return .former(try self.scan(query, at: base, isAnyOrder: false), [:], shown: shown)
    }

    var stream: WatchStream { self.target.stream }
    var view: View { self.target.view }
    var watcher: Watcher { self.target.stream.watcher }

    func document(_ path: ResourcePath, at base: Base) throws(StoreError) -> Document? {
        self.watcher.readsLeft -= 1
        return try self.watcher.store.get(path, in: self.view.database, at: base.time)
    }

    func scan(_ query: Query, at base: Base, isAnyOrder: Bool = true) throws(StoreError) -> ResultReader {
        ResultReader(
            try self.watcher.store.query(query, in: self.view.database, at: base.time, isAnyOrder: isAnyOrder)
        )
    }

    /// The client knows a part already.
    func markTold() { self.hasTold = true }

    func tell(_ path: ResourcePath, _ document: Document?, isMember: Bool) {
        self.hasTold = true
        self.watcher.eventsLeft -= 1
        let news = self.view.news(of: path, document, isMember: isMember, at: self.goal.time)
        self.stream.send(news.event(for: self.target.ids))
    }
}
