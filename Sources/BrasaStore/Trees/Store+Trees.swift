package import BrasaDocuments
package import BrasaLog
package import BrasaTree

/// Reads, on any thread. What they get is a value: they look around in it without a lock.
extension Store {
    /// The tree of that name. Every name is one; it takes memory only while it has nodes or somebody holds it.
    package func tree(_ name: TreeNamespace) -> TreeHandle { self.trees.handle(name) }

    /// Nil when there is none in memory, and so nothing in it: for those who only read.
    package func existingTree(_ name: TreeNamespace) -> TreeHandle? { self.trees.existing(name) }

    /// Those in which a reader finds something, in the order of their names.
    package var treeNames: [TreeNamespace] {
        self.trees.all.filter { !$0.root(atWatermarkOf: self.commitClock).root.isAbsent }.map(\.name)
    }

    /// The newest durable version, and the time as of which it is that: every acknowledged write is in it.
    package func root(of tree: TreeHandle) -> (root: TreeNode, time: Timestamp) {
        let (root, time) = tree.root(atWatermarkOf: self.commitClock)
        return (root, Timestamp(microseconds: time))
    }

    /// The version of a time at or below the watermark; nil when it is no longer known.
    package func root(of tree: TreeHandle, at time: Timestamp) -> TreeNode? { tree.root(at: time.microseconds) }

    /// The latest version, durable or not: for what the writer's section compares, not for answers.
    package func newestRoot(of tree: TreeHandle) -> TreeNode { tree.newest.root }

    /// Up to `limit` durable steps of all trees after `time`, in the order of their commits. Nil when some of them are
    /// forgotten: who has fallen that far behind takes each tree's newest version and goes on after its time.
    package func treeSteps(after time: Timestamp, limit: Int) -> [TreeStep]? {
        self.trees.steps.steps(after: time.microseconds, through: self.commitClock.watermark, limit: limit)
    }

    /// The earliest time for `treeSteps(after:limit:)`.
    package var oldestTreeStepsTime: Timestamp { Timestamp(microseconds: self.trees.steps.completeAfter) }
}

/// The writer's section: its caller makes sure that one thread at a time is here.
extension Store {
    /// Commits at a time already given out, as `apply(changes:at:waiter:)` does: when this throws, nothing was changed, and
    /// the stamp has to be withdrawn.
    package func apply(_ commit: TreeCommit, at stamp: CommitStamp, waiter: LogWaiter?) throws(StoreError) {
        do throws(StoreError) {
            try self.checkMemory(growth: commit.growth)
            try self.add(commit, time: stamp.time.microseconds, waiter)
        } catch {
            self.commitMeasures.refused(error.code)
            throw error
        }
        self.commitMeasures.committed(changes: commit.placements)
    }

    private func add(_ commit: TreeCommit, time: Int64, _ waiter: LogWaiter?) throws(StoreError) {
        let step = TreeStep(commit.changes, of: commit.tree, from: commit.before, to: commit.after, time: time)
        // As with documents, the version is there before the log has the record: it may be durable at any moment after.
        self.trees.add(step, horizon: self.commitClock.watermark)
        do throws(LogError) {
            try self.log.append(time: time, record: TreeRecord(commit), waiter: waiter)
        } catch {
            self.trees.takeBack(step)
            throw StoreError(refused: error)
        }
    }

    /// Until the latest version of the tree is durable, what shows it has to wait for this time; nil when it is.
    package func undurableTime(of tree: TreeHandle) -> Timestamp? {
        let time = tree.newest.time
        return time > self.commitClock.watermark ? Timestamp(microseconds: time) : nil
    }
}

extension Store {
    /// Forgets steps that everybody has had time to take; whether there is more to forget. A background step.
    func forgetTreeSteps(now: Int64) -> Bool {
        let isShort = self.isMemoryShort
        return self.trees.steps.forget(through: isShort ? self.commitClock.watermark : now.before(Self.treeStepsKept))
    }

    private static let treeStepsKept: Duration = .seconds(10)
}
