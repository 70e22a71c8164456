import BrasaQueryModel
import BrasaTree
import Testing

@testable import BrasaTreeSync

/// A client and a server with a line between them that takes its time and breaks.
struct SimulatedClient {
    var random: SeededRandom
    var tree = SyncTree(isStored: true)
    private(set) var storage = NaiveStorage()
    var server = SimulatedServer()
    private var requests: [SimulatedServer.Request] = []
    private var answers: [SimulatedServer.Answer] = []
    private(set) var recorders: [SyncListenerID: Recorder] = [:]
    /// What the server has said of the open listens, by their serial numbers.
    private var states: [TreeTarget: (serial: Int, node: TreeNode)] = [:]
    private var pending: [PendingWrite] = []

    init(seed: UInt64) {
        self.random = SeededRandom(seed: seed)
    }

    private mutating func take(_ effects: SyncEffects) {
        self.storage.apply(self.tree.takeStored())
        for change in effects.listens {
            switch change {
            case .open(let target, let tag):
                self.requests.append(.open(target, tag: tag, known: self.tree.assumed(target)))
            case .close(let target, _):
                self.states[target] = nil
                self.requests.append(.close(target))
            }
        }
        self.tell(effects.events)
    }

    private mutating func tell(_ events: [TreeSyncEvent]) {
        for listener in Set(events.flatMap(\.listeners)) {
            let own = events.filter { $0.listeners.contains(listener) }
            self.recorders[listener]?.take(own.map(\.kind))
            if self.recorders[listener]?.isRefused ?? false { self.recorders[listener] = nil }
        }
    }

    mutating func listen(_ query: TreeQuery, at path: TreePath) {
        let stored = self.tree.wantsStored(query, at: path) ? self.storage.node(of: TreeTarget(path, query)) : nil
        let (listener, effects) = self.tree.listen(query, at: path, stored: stored)
        self.recorders[listener] = Recorder(query, at: path)
        self.take(effects)
    }

    mutating func unlisten() {
        guard let listener = self.recorders.keys.sorted().randomElement(using: &self.random) else { return }
        self.recorders[listener] = nil
        self.take(self.tree.unlisten(listener))
    }

    mutating func write(_ write: TreeWrite, isShown: Bool) {
        let (pending, effects) = self.tree.write(write, isShown: isShown, milliseconds: 1_000)
        self.pending.append(pending)
        self.requests.append(.write(pending.id, write))
        self.take(effects)
    }

    /// A write that the server has not come to is another, as when a transaction runs again.
    mutating func replace(by write: TreeWrite) {
        let indices = self.requests.indices.filter { if case .write = self.requests[$0] { true } else { false } }
        guard let index = indices.randomElement(using: &self.random), case .write(let id, _) = self.requests[index],
            let (replaced, effects) = self.tree.replace(id, by: write, milliseconds: 1_000)
        else { return }
        self.requests[index] = .write(id, write)
        self.pending = self.pending.map { $0.id == id ? replaced : $0 }
        self.take(effects)
    }

    mutating func commitOfOthers(_ change: TreeChange) {
        self.answers.append(self.server.commit(change))
    }

    mutating func advanceServer(refusing oneIn: Int) {
        guard !self.requests.isEmpty else { return }
        let request = self.requests.removeFirst()
        self.answers += self.server.perform(request, isRefused: oneIn > 0 && self.random.chance(oneIn))
    }

    /// The process ends: what is left is what was stored, and writes that are shown.
    mutating func restart() {
        self.tree = SyncTree(isStored: true)
        self.storage.restart()
        self.recorders = [:]
        self.pending.removeAll { !$0.isShown }
        for write in self.pending { self.tree.restore(write) }
        self.reconnect()
    }

    mutating func reconnect() {
        self.server.disconnect()
        (self.requests, self.answers, self.states) = ([], [], [:])
        self.tree.disconnect()
        for open in self.tree.openListens {
            self.requests.append(.open(open.target, tag: open.tag, known: self.tree.assumed(open.target)))
        }
        self.requests += self.tree.pendingWrites.map { .write($0.id, $0.write) }
    }

    /// The next that the server has sent. What it says of one commit arrives at once.
    mutating func deliver() {
        guard !self.answers.isEmpty else { return }
        switch self.answers.removeFirst() {
        case .commit(let pushes):
            for push in pushes {
                for (target, state) in self.states where state.serial == push.serial {
                    let root = TreeNode.absent.setting(state.node, at: target.path)
                    self.states[target] = (state.serial, push.change.applied(to: root)[target.path])
                }
                self.take(self.tree.receive(push.change, tag: push.tag))
            }
        case .opened(let target, let serial, let state):
            if self.tree.openListens.contains(where: { $0.target == target }), !self.isReopened(target) {
                self.states[target] = (serial, state)
            }
            self.take(self.tree.completeListen(target))
        case .refused(let target):
            if !self.isReopened(target) { self.take(self.tree.refuse(target, status: "permission_denied")) }
        case .closed(let target): self.tree.completeClose(target)
        case .written(let id, let isDone):
            self.pending.removeAll { $0.id == id }
            self.take(isDone ? self.tree.acknowledge(id) : self.tree.revert(id))
        }
    }

    /// Whether the server has yet to open a listen once more.
    private func isReopened(_ target: TreeTarget) -> Bool {
        let requested = self.requests.contains { if case .open(target, _, _) = $0 { true } else { false } }
        return requested
            || self.answers.contains { answer in
                switch answer {
                case .opened(target, _, _), .refused(target): true
                default: false
                }
            }
    }

    /// Until nothing is on its way. Of the writes every third is refused.
    mutating func drain(_ place: Comment) {
        while !self.requests.isEmpty || !self.answers.isEmpty {
            if case .write? = self.requests.first {
                self.advanceServer(refusing: 3)
            } else {
                self.advanceServer(refusing: 0)
            }
            while !self.answers.isEmpty {
                self.deliver()
                self.check(place)
            }
        }
    }

    /// Whether each listener that the server has answered for has seen what it should, and what is stored is what is known.
    func check(_ place: Comment) {
        for target in self.tree.openListens.map(\.target) {
            let known = self.tree.known(target)
            #expect(
                self.storage.openNode(of: target).map(exported) == known.map(exported),
                "\(place): \(target) on disk"
            )
        }
        let writes = self.pending.filter(\.isShown)
        for recorder in self.recorders.values {
            guard let target = self.answered(recorder) else { continue }
            let state = self.states[target]?.node ?? .absent
            let naive = NaiveView(
                target: TreeTarget(target.path, target.isUnindexed ? nil : target.query),
                state: state,
                writes: writes
            )
            let expected = naive.shown(recorder.query, at: recorder.path)
            #expect(recorder.value.map(exported) == exported(expected), place)
            #expect(self.tree.shown(recorder.query, at: recorder.path) == expected, place)
        }
    }

    private func answered(_ recorder: Recorder) -> TreeTarget? {
        // For want of an index everything is sent: what is there, and what is not, is known below as well.
        let above = self.states.keys.filter {
            ($0.query == nil || $0.isUnindexed) && $0.path.contains(recorder.path)
        }
        if let whole = above.first { return whole }
        let own = TreeTarget(recorder.path, recorder.query)
        return self.states[own] == nil ? nil : own
    }

    /// The listens that the listeners need, by the rule that one to everything is enough for what is below it.
    var neededListens: Set<TreeTarget> {
        let targets = Set(self.recorders.values.map { TreeTarget($0.path, $0.query) })
        let whole = targets.filter { $0.query == nil }
        return targets.filter { target in
            !whole.contains { $0.path.contains(target.path) && $0 != target }
        }
    }
}
