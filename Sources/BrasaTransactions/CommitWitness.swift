package import BrasaStore

/// Gives a commit a receipt (`CommitReceipt`). Both functions are called on any thread, in the writer section:
/// they must be short and call nobody back.
package protocol CommitWitness: Sendable {
    /// The commit is about to be applied with that result. Called at most once for each commit, before anybody can see it.
    func receipt(for result: CommitResult) -> CommitReceipt

    /// It was not applied after all, and nothing is durable of it. Called before any later time is given out.
    func withdrawReceipt()
}
