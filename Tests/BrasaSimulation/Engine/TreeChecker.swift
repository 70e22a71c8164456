import BrasaDocuments
import BrasaStore
import BrasaTransactions
import BrasaTree

/// Holds what clients of trees were told against the steps that became durable, and these against plain values: each step
/// must be the whole effect of one request that some client made, on the tree as the step before left it.
final class TreeChecker {
    struct Asked {
        let tree: String
        let writes: [TreeWrite]
        let condition: TreeCondition?
        /// The newest acknowledged commit, of trees or documents, and the newest durable step, at that moment.
        let acknowledgedBefore: Int64
        let since: Int64
        /// When it happened.
        var time: Int64?
    }

    private(set) var versions: [String: [(time: Int64, root: TreeNode)]] = [:]
    private(set) var lastDurable: Int64 = 0
    /// Nothing that is not in the versions happened up to here.
    private var followedUpTo: Int64 = 0
    private(set) var lastAcknowledged: Int64 = 0
    /// The latest time that this process was read at.
    private var lastReadTime: Int64 = 0
    private var asked: [Int: Asked] = [:]
    private var lastID = 0
    private(set) var acknowledgedCount = 0
    private(set) var staleCount = 0
    /// Of sessions whose end was not written yet.
    var endings: [Int: Ending] = [:]
    private(set) var endedCount = 0

    static let counter = "count"

    func root(of tree: String, at time: Int64 = .max) -> TreeNode {
        self.versions[tree]?.last { $0.time <= time }?.root ?? .absent
    }

    // MARK: What became durable

    func follow(_ store: Store) throws {
        while true {
            let after = Timestamp(microseconds: max(self.lastDurable, self.followedUpTo))
            guard let steps = store.treeSteps(after: after, limit: .max)?.steps else {
                throw SimulationFailure(.visibility, "the steps of trees since \(after) are forgotten")
            }
            if steps.isEmpty { return }
            for step in steps { try self.add(step) }
        }
    }

    private func add(_ step: TreeStep) throws {
        let (tree, time) = (step.tree.name.description, step.time.microseconds)
        guard time > self.lastDurable, time > self.lastReadTime else {
            throw SimulationFailure(.order, "a write at \(time), after \(self.lastDurable) and \(self.lastReadTime)")
        }
        let before = self.root(of: tree)
        guard step.before == before else {
            throw SimulationFailure(.atomicity, "the step at \(time) begins elsewhere than the one before ended")
        }
        let cause = self.asked.first { id, asked in
            asked.time == nil && asked.tree == tree && self.effect(of: asked, on: before, at: time) == step.after
        }
        if let cause {
            self.asked[cause.key]?.time = time
        } else if self.takeEnding(of: tree, from: before, to: step.after, at: time) {
            self.endedCount += 1
        } else {
            throw SimulationFailure(.atomicity, "nothing that was asked for has the effect of the step at \(time)")
        }
        self.versions[tree, default: []].append((time, step.after))
        self.lastDurable = time
        try self.checkCounter(from: before, to: step.after, at: time)
    }

    /// Nil: it would not have happened.
    private func effect(of asked: Asked, on root: TreeNode, at time: Int64) -> TreeNode? {
        if let condition = asked.condition, root[condition.path].hash != condition.hash { return nil }
        return self.effect(of: asked.writes, on: root, at: time)
    }

    func effect(of writes: [TreeWrite], on root: TreeNode, at time: Int64) -> TreeNode? {
        writes.reduce(root as TreeNode?) { root, write in
            guard let root else { return nil }
            return (try? write.resolved(in: root, milliseconds: time / 1_000))?.applied(to: root)
        }
    }

    /// It is only ever counted up, whoever writes what beside it.
    private func checkCounter(from before: TreeNode, to after: TreeNode, at time: Int64) throws {
        let (old, new) = (Self.count(in: before), Self.count(in: after))
        guard new == old || new == old + 1 else {
            throw SimulationFailure(.once, "the count at \(time) is \(new), and was \(old)")
        }
    }

    static func count(in root: TreeNode) -> Int64 {
        guard let key = try? TreeKey(Self.counter), let number = try? TreeKey("n"),
            case .integer(let count)? = root.child(key).child(number).scalar
        else { return 0 }
        return count
    }

    // MARK: Writes

    func ask(_ writes: [TreeWrite], of tree: String, _ condition: TreeCondition?, acknowledgedBefore: Int64) -> Int {
        self.lastID += 1
        self.asked[self.lastID] = Asked(
            tree: tree,
            writes: writes,
            condition: condition,
            acknowledgedBefore: max(acknowledgedBefore, self.lastAcknowledged),
            since: self.lastDurable
        )
        return self.lastID
    }

    private func take(_ id: Int) throws -> Asked {
        guard let asked = self.asked.removeValue(forKey: id) else {
            throw SimulationFailure(.liveness, "write \(id) was answered twice")
        }
        return asked
    }

    func acknowledge(_ id: Int, _ committed: TreeCommitted, _ store: Store) throws {
        try self.follow(store)
        let asked = try self.take(id)
        let time = committed.time.microseconds
        guard asked.time == time else {
            throw SimulationFailure(
                .visibility,
                "acknowledged at \(time), durable at \(String(describing: asked.time))"
            )
        }
        guard time > asked.acknowledgedBefore else {
            throw SimulationFailure(
                .order,
                "\(time), asked for after the acknowledgement of \(asked.acknowledgedBefore)"
            )
        }
        guard committed.root == self.root(of: asked.tree, at: time), committed.changes.count == asked.writes.count
        else {
            throw SimulationFailure(.results, "the write at \(time) answers another tree than it made")
        }
        self.lastAcknowledged = max(self.lastAcknowledged, time)
        self.acknowledgedCount += 1
    }

    /// The node that stood in the way must have been there, durably, since the request was made.
    func isStale(_ id: Int, _ node: TreeNode, _ store: Store) throws {
        try self.follow(store)
        let asked = try self.take(id)
        guard asked.time == nil, let condition = asked.condition, node.hash != condition.hash else {
            throw SimulationFailure(.refusal, "write \(id) was refused for the node that it expected")
        }
        let moments = [asked.since] + (self.versions[asked.tree] ?? []).map(\.time).filter { $0 > asked.since }
        guard moments.contains(where: { self.root(of: asked.tree, at: $0)[condition.path] == node }) else {
            throw SimulationFailure(.visibility, "write \(id) was refused for a node that was not there")
        }
        self.staleCount += 1
    }

    func refuse(_ id: Int, _ error: TransactionError, logFailed: Bool) throws {
        if case .outcomeUnknown = error {
            guard logFailed else { throw SimulationFailure(.refusal, "\(error) while the log works") }
            // It may be there after a restart.
            return
        }
        guard try self.take(id).time == nil else { throw SimulationFailure(.refusal, "\(error) for what happened") }
        switch error {
        case .unavailable:
            guard logFailed else { throw SimulationFailure(.refusal, "\(error) while the log works") }
        case .exhausted: break
        default: throw SimulationFailure(.refusal, "\(error)")
        }
    }

    // MARK: Restarts and reads

    /// Follows a process that has recovered. What its checkpoint has was durable, and so followed, before.
    func followRecovered(_ store: Store) throws {
        self.lastReadTime = 0
        self.followedUpTo = max(self.followedUpTo, store.oldestTreeStepsTime.microseconds)
        try self.follow(store)
        self.asked = [:]
    }

    func checkState(_ store: Store, _ names: [TreeNamespace]) throws {
        for name in names {
            let (root, time) = store.root(of: store.tree(name))
            guard time.microseconds >= self.lastDurable, root == self.root(of: name.description) else {
                throw SimulationFailure(.durability, "\(name) at \(time) is not what it was at \(self.lastDurable)")
            }
        }
    }

    func checkRead(_ root: TreeNode, of tree: String, at time: Timestamp, isStrong: Bool) throws {
        let now = time.microseconds
        if isStrong, now < self.lastAcknowledged {
            throw SimulationFailure(.visibility, "read at \(now), acknowledged at \(self.lastAcknowledged)")
        }
        self.lastReadTime = max(self.lastReadTime, now)
        guard root == self.root(of: tree, at: now) else {
            throw SimulationFailure(.visibility, "\(tree) at \(now) is not what the steps up to then made")
        }
    }
}
