import BrasaDocuments
package import BrasaPlatform
package import BrasaStore
import BrasaTree
import BrasaTreeJudging
import Synchronization

/// The event streams of one event loop: who is to look when a tree has changed. One look at the steps serves all.
package final class TreeFollowers: Sendable {
    struct Follower: Sendable {
        let tree: TreeHandle
        let wake: @Sendable () -> Void
        /// Whether it may follow on is found out again; wakes it if not. Returns units of the rules' work.
        let judge: @Sendable () -> Int
    }

    private struct State {
        var followers: [UInt64: Follower] = [:]
        var lastID: UInt64 = 0
        /// The last one that was judged again.
        var judgedID: UInt64 = 0
        /// All steps up to then were looked at.
        var time = Timestamp.earliest
        /// Of each tree that is followed, when its last step was that may not have been told of yet.
        var changed: [TreeHandle: Timestamp] = [:]
        var courses: [TreeEventSubject: TreeEventCourse] = [:]
    }

    let store: Store
    let textRoom = TreeTextRoom()
    private let mailbox: any Mailbox
    private let indexEntriesMax: Int
    let eventBytesMax: Int
    private let state = Mutex(State())
    private let indexes = Mutex(TreeEventIndexes())
    private let count = Atomic<Int>(0)
    private let isPosted = Atomic<Bool>(false)

    package init(
        store: Store,
        mailbox: any Mailbox,
        indexEntriesMax: Int = TreeService.indexEntriesMax,
        eventBytesMax: Int = TreeService.eventBytesMax
    ) {
        self.store = store
        self.mailbox = mailbox
        self.indexEntriesMax = indexEntriesMax
        self.eventBytesMax = eventBytesMax
    }

    /// What equal streams share, for one more; to be left once.
    func join(_ subject: TreeEventSubject) -> TreeEventCourse {
        let known = self.state.withLock { state in
            guard let known = state.courses[subject], !known.hasEnded else { return nil as TreeEventCourse? }
            known.join()
            return known
        }
        if let known { return known }
        if let order = subject.target.query?.order {
            self.indexes.withLock { $0.join(TreeEventIndexes.Key(order, subject)) }
        }
        let course = TreeEventCourse(subject, self)
        course.join()
        self.state.withLock { $0.courses[subject] = course }
        return course
    }

    func leave(_ course: TreeEventCourse) {
        let wasLast = self.state.withLock { state in
            guard course.leave() else { return false }
            if state.courses[course.subject] === course { state.courses[course.subject] = nil }
            return true
        }
        guard wasLast, let order = course.subject.target.query?.order else { return }
        self.indexes.withLock { $0.leave(TreeEventIndexes.Key(order, course.subject)) }
    }

    /// Of a version of a subject's node.
    func index(_ order: TreeQuery.Order, _ subject: TreeEventSubject, of node: TreeNode) -> TreeIndex {
        self.indexes.withLock { $0.index(TreeEventIndexes.Key(order, subject), of: node) }
    }

    /// Whether there is room for what the subject's windows are found by, of so many children.
    func mayIndex(_ subject: TreeEventSubject, children: Int) -> Bool {
        guard let order = subject.target.query?.order else { return true }
        let key = TreeEventIndexes.Key(order, subject)
        return self.indexes.withLock { $0.mayKeep(key, children: children, entriesMax: self.indexEntriesMax) }
    }

    /// Ends the streams that take more than there is room for, since their nodes have grown.
    private func boundIndexes() {
        let gone = self.indexes.withLock { $0.giveUp(above: self.indexEntriesMax) }
        guard !gone.isEmpty else { return }
        for course in self.courses {
            guard let order = course.subject.target.query?.order else { continue }
            if gone.keys.contains(TreeEventIndexes.Key(order, course.subject)) { course.end() }
        }
    }

    /// Of equal streams that there are now.
    var courses: [TreeEventCourse] { self.state.withLock { Array($0.courses.values) } }

    func add(_ follower: Follower) -> UInt64 {
        let id = self.state.withLock { state in
            // What came before, streams find by themselves.
            if state.followers.isEmpty { state.time = max(state.time, self.store.watermark) }
            state.lastID += 1
            state.followers[state.lastID] = follower
            if state.changed[follower.tree] == nil { state.changed[follower.tree] = state.time }
            return state.lastID
        }
        self.count.add(1, ordering: .sequentiallyConsistent)
        return id
    }

    func remove(_ id: UInt64) {
        // What it holds is let go of without the lock.
        let removed = self.state.withLock { state -> Follower? in
            guard let follower = state.followers.removeValue(forKey: id) else { return nil }
            let tree = follower.tree
            if !state.followers.values.contains(where: { $0.tree == tree }) { state.changed[tree] = nil }
            return follower
        }
        if removed != nil { self.count.subtract(1, ordering: .sequentiallyConsistent) }
    }

    /// Commits became durable, of whatever. On any thread; costs a look at a number while nobody follows.
    package func wake() {
        guard self.count.load(ordering: .sequentiallyConsistent) > 0,
            !self.isPosted.exchange(true, ordering: .sequentiallyConsistent)
        else { return }
        self.mailbox.post { self.look() }
    }

    /// How far a stream of the tree that has seen all of it up to `time` has seen it in truth.
    func position(of tree: TreeHandle, since time: Timestamp) -> Timestamp {
        self.state.withLock { state in
            guard let changed = state.changed[tree], changed <= time else { return time }
            return max(time, state.time)
        }
    }

    private func look() {
        self.isPosted.store(false, ordering: .sequentiallyConsistent)
        let time = self.state.withLock { $0.time }
        let batch = self.store.treeSteps(after: time, limit: .max)
        let next = batch?.through ?? self.store.watermark
        let wakes = self.state.withLock { state in
            state.time = max(state.time, next)
            for tree in state.changed.keys where batch == nil { state.changed[tree] = state.time }
            for step in batch?.steps ?? [] {
                state.changed[step.tree] = state.changed[step.tree].map { _ in step.time }
            }
            // When steps are forgotten, everybody looks for themselves.
            let trees = batch.map { Set($0.steps.map(\.tree)) }
            return state.followers.values.filter { trees?.contains($0.tree) ?? true }.map(\.wake)
        }
        for wake in wakes { wake() }
        if batch?.hasMore ?? false { self.wake() }
    }

    /// To be called every second, on the loop: what rules look at may have changed. Goes on where it ended the last time.
    package func tick() {
        self.boundIndexes()
        for course in self.courses { course.forget(self.store) }
        guard self.count.load(ordering: .relaxed) > 0 else { return }
        let (judged, followers) = self.state.withLock { ($0.judgedID, $0.followers) }
        let ids = followers.keys.sorted()
        var work = 0
        for id in ids.filter({ $0 > judged }) + ids.filter({ $0 <= judged }) {
            guard work < JudgingTurn.workMax, let follower = followers[id] else { break }
            work += follower.judge() + JudgingTurn.listenerWork
            self.state.withLock { $0.judgedID = id }
        }
    }
}
