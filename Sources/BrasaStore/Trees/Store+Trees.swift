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

    /// Up to `limit` durable steps of all trees after `time`, 256 at most, in the order of their commits. Nil when some of
    /// them are forgotten: who has fallen that far behind takes each tree's newest version and goes on after its time.
    package func treeSteps(after time: Timestamp, limit: Int) -> TreeStepBatch? {
        self.trees.steps.steps(after: time.microseconds, through: self.commitClock.watermark, limit: limit)
    }

    /// The earliest time for `treeSteps(after:limit:)`.
    package var oldestTreeStepsTime: Timestamp { Timestamp(microseconds: self.trees.steps.completeAfter) }
}

/// The writer's section: its caller makes sure that one thread at a time is here.
extension Store {
    /// Commits at a time already given out, as `apply(changes:at:waiter:)` does: when this throws, nothing was changed, and
    /// the stamp has to be withdrawn. With the will of a session it is what that left, which has ended and leaves nothing
    /// any more as soon as this is durable.
    package func apply(
        _ commit: TreeCommit,
        ending will: TreeWillID? = nil,
        at stamp: CommitStamp,
        waiter: LogWaiter?
    ) throws(StoreError) {
        let time = stamp.time.microseconds
        do throws(StoreError) {
            // Before anything is done: what is added makes others forgotten, which does not come back.
            let record = TreeRecord(commit, ending: will.map { time &- $0.time })
            guard record.fits(bytesMax: self.commitBytesMax) else { throw StoreError(.commitTooLarge) }
            try self.checkMemory(growth: commit.growth - (will.map { self.trees.wills.bytes(of: $0) } ?? 0))
            try self.add(commit, record, will, time: time, waiter)
        } catch {
            self.commitMeasures.refused(error.code)
            throw error
        }
        self.commitMeasures.committed(changes: commit.placements)
    }

    private func add(
        _ commit: TreeCommit,
        _ record: TreeRecord,
        _ will: TreeWillID?,
        time: Int64,
        _ waiter: LogWaiter?
    ) throws(StoreError) {
        let step = TreeStep(commit.changes, of: commit.tree, from: commit.before, to: commit.after, time: time)
        // As with documents, the version is there before the log has the record: it may be durable at any moment after.
        self.trees.add(step, horizon: self.commitClock.watermark)
        if let will { self.trees.wills.noteEnd(of: will, in: commit.tree, time: time) }
        do throws(LogError) {
            try self.log.append(time: time, record: record, waiter: waiter)
        } catch {
            if will != nil { self.trees.wills.takeBack() }
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
        defer { self.freeForgottenTreeSteps() }
        return self.trees.steps.forget(through: isShort ? self.commitClock.watermark : now.before(Self.treeStepsKept))
    }

    /// Frees what commits made forgotten. Not for the writer's section: a large tree takes long.
    package func freeForgottenTreeSteps() { self.trees.steps.freeForgotten() }

    private static let treeStepsKept: Duration = .seconds(10)
}
