import BrasaDocuments
import BrasaStore
import BrasaTree

/// What equal event streams read, and in which form they are told.
struct TreeEventSubject: Hashable, Sendable {
    let tree: TreeHandle
    let target: TreeTarget
    let form: TreeEmitter.Form
}

/// How far a subject was followed, and what is there. A value.
struct TreeEventPosition: Sendable {
    private static let stepsAtOnce = 64

    /// Everything up to there is in what was told.
    var time: Timestamp
    private(set) var node: TreeNode
    /// Of a query what it shows of the node.
    private(set) var window: TreeWindow?

    /// The newest.
    init(_ subject: TreeEventSubject, _ followers: TreeFollowers) {
        let (root, time) = followers.store.root(of: subject.tree)
        let node = root[subject.target.path]
        self.time = time
        self.node = node
        self.window = subject.target.query.map { TreeWindow($0, in: followers.index($0.order, subject, of: node)) }
    }

    /// The event that tells all that is there.
    var opening: TreeEvent { .put(.root, self.window.map { $0.node.withPriority(.none) } ?? self.node) }

    /// Goes on to the first change that the reader sees, or as far as is known. A bounded number of steps is looked at; no
    /// events with `hasMore` asks for another turn. Where steps are forgotten, it goes on to the newest version.
    mutating func look(
        _ subject: TreeEventSubject,
        _ followers: TreeFollowers
    ) -> (events: [TreeEvent], hasMore: Bool) {
        let store = followers.store
        // Where others change much, the steps since this tree's last change would be forgotten.
        self.time = followers.position(of: subject.tree, since: self.time)
        guard let batch = store.treeSteps(after: self.time, limit: Self.stepsAtOnce) else {
            let (root, time) = store.root(of: subject.tree)
            self.time = time
            return (self.move(to: root[subject.target.path], subject, followers), false)
        }
        for step in batch.steps {
            self.time = step.time
            guard step.tree == subject.tree else { continue }
            let node = step.after[subject.target.path]
            let events: [TreeEvent]
            if self.window != nil {
                events = self.move(to: node, subject, followers)
            } else {
                self.node = node
                events = TreeEventMaker(path: subject.target.path, form: subject.form).events(of: step)
            }
            if !events.isEmpty { return (events, true) }
        }
        self.time = batch.through
        return ([], batch.hasMore)
    }

    /// To another version, whatever led there.
    private mutating func move(
        to node: TreeNode,
        _ subject: TreeEventSubject,
        _ followers: TreeFollowers
    ) -> [TreeEvent] {
        guard !node.isSame(as: self.node) else { return [] }
        self.node = node
        guard let window = self.window else { return [.put(.root, node)] }
        let next = TreeWindow(window.query, in: followers.index(window.query.order, subject, of: node))
        self.window = next
        return WindowChange(from: window, to: next).children.map { .put(TreePath([$0.key]), $0.new) }
    }
}
