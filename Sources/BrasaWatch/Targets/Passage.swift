import BrasaDocuments
import BrasaPlatform
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
        /// From nothing: all of the goal's state.
        case arrived(ResultReader)
        /// What is different at the goal, from a place on.
        case difference(Difference, Int)
        /// A window: documents that may have come into it or left it.
        case windowCandidates([ResourcePath], Int)
        /// A window: what was shown at the base and is not at the goal.
        case leftWindow(ResultReader, FormerWindow)
        /// A window: what is shown at the goal, from a place on, and was not at the base.
        case arrivedInWindow(Int, FormerWindow?)
        case counting(Difference)
        /// The goal's results are in `shown` or `present`.
        case counted
        case naming(ResultReader, BloomFilter, count: Int)
        case ended
    }

    let base: Base?
    let goal: Base
    unowned let target: WatchTarget
    /// Whether the client knows a part of what differs already.
    private(set) var hasTold: Bool
    let began: MonotonicTime
    var stage: Stage
    /// How many more results the goal has than the base, where a filter may be due.
    var gain = 0
    /// Of a documents target, where a filter may be due: those that there are at the goal.
    var present: [ResourcePath] = []
    /// What a window shows at the goal: its own memory until it changes, and that of all passages to the same goal.
    private let shownWindow: ShownWindow?
    /// How many documents the client says that it had at the base: a filter may be due.
    let expectedCount: Int?

    /// The target's view is ready, and the goal is the watcher's position.
    init(of target: WatchTarget, from known: WatchTarget.Known?, to goal: Base, hasTold: Bool = false) {
        self.target = target
        self.base = known?.base
        self.goal = goal
        self.hasTold = hasTold
        self.began = target.stream.watcher.turn.now
        self.expectedCount = known?.expectedCount
        self.stage = .start
        // A window goes on with the watcher, so it is kept as it is now.
        self.shownWindow = target.view.shownWindow()
    }

    var shown: ArraySlice<Window.Entry>? { self.shownWindow?.entries }
    var isCounting: Bool { self.expectedCount != nil }

    var stream: WatchStream { self.target.stream }
    var view: View { self.target.view }
    var watcher: Watcher { self.target.stream.watcher }

    func document(_ path: ResourcePath, at base: Base) throws(StoreError) -> Document? {
        self.watcher.turn.readsLeft -= 1
        return try self.watcher.store.get(path, in: self.view.database, at: base.time)
    }

    func scan(_ query: Query, at base: Base, isAnyOrder: Bool = true) throws(StoreError) -> ResultReader {
        ResultReader(
            try self.watcher.store.query(query, in: self.view.database, at: base.time, isAnyOrder: isAnyOrder)
        )
    }

    func tell(_ path: ResourcePath, _ document: Document?, isMember: Bool) {
        self.hasTold = true
        self.stream.tokens.note(self.target)
        self.watcher.turn.eventsLeft -= 1
        let news = self.view.news(of: path, document, isMember: isMember, at: self.goal.time)
        self.stream.send(news.event(for: self.target.ids))
    }
}
