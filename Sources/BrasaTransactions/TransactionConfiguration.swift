import BrasaStore
import BrasaTree

/// What lies past a bound is refused with RESOURCE_EXHAUSTED.
package struct TransactionConfiguration: Sendable {
    /// How long a request waits for locks before it is told of too much contention.
    package var lockWait: Duration = .seconds(20)
    package var idleMax: Duration = .seconds(60)
    package var lifetimeMax: Duration = .seconds(270)
    /// How long an ended transaction is remembered, so that late calls get the right answer and retries the priority.
    package var rememberedFor: Duration = .seconds(300)

    package var openTransactionsMax = 65_536
    /// Past it the ones that ended first are forgotten early: calls on them then hear that they never were.
    package var rememberedMax = 262_144
    /// Documents that transactions have read, counted for each of them.
    package var lockedDocumentsMax = 1_000_000
    package var lockedRangesPerDatabaseMax = 4_096
    /// Queries of optimistic transactions, which lock nothing.
    package var observedRangesMax = 16_384
    /// Of one of them.
    package var observedRangesPerTransactionMax = 1_024
    /// How often the commit of one of them holds a changed document against a query. Past it, it is aborted: all other
    /// commits wait meanwhile.
    package var observedChecksMax = 1 << 17
    package var waitingRequestsMax = 16_384
    /// Of the writes of commits that wait for locks.
    package var waitingBytesMax = 256 << 20

    /// Of one commit, or of one batch of a Write stream. Past it: INVALID_ARGUMENT.
    package var commitWritesMax = 10_000
    /// Of one BatchWrite. Past it: INVALID_ARGUMENT.
    package var batchWritesMax = 500
    /// Of documents that one commit takes apart to change something in them, and of what fields and elements of arrays take
    /// beside, those of its masks and transforms too. Counted afresh each time that the commit is worked out. Past it:
    /// INVALID_ARGUMENT.
    package var evaluatedBytesMax = 64 << 20

    /// The same of a commit that is judged: whoever asks for it may have no right to it, and it is worked out outside of the
    /// section, in one go, perhaps several times. Past the first: INVALID_ARGUMENT; past the second it is denied.
    package var judgedWritesMax = 500
    package var judgedBytesMax = 16 << 20

    /// Of one request to a tree: paths written, and server's values in them; a write without any counts as one. Past it:
    /// INVALID_ARGUMENT.
    package var treePlacementsMax = TreeLimits.placementsMax
    /// How often the hash of a condition's node is worked out before the section.
    package var treeHashRoundsMax = 8
    /// What is then hashed in the section. A larger node that changed in each of the rounds is not the one expected.
    package var treeHashNodesMax = 1_024
    /// And no more than so many bytes, by `TreeNode.estimate`: one string may be 10 MiB.
    package var treeHashBytesMax = 64 << 10

    package init() {}

    func judgedBudget(of store: Store) -> EvaluationBudget {
        EvaluationBudget(
            workBytes: min(self.evaluatedBytesMax, self.judgedBytesMax),
            changeBytes: min(store.commitBytesMax, self.judgedBytesMax)
        )
    }

    /// What the documents of a commit take has to fit one record of the log.
    func evaluationBudget(of store: Store) -> EvaluationBudget {
        EvaluationBudget(workBytes: self.evaluatedBytesMax, changeBytes: store.commitBytesMax)
    }
}
