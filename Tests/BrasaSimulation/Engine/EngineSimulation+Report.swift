/// What a simulation is asked for, and what it has done.
extension EngineSimulation {
    package struct Settings: Sendable {
        package var seed: UInt64
        package var steps = 2_000
        package var clientsMax = 6
        /// The disk says that it has synced, and has not: a mutation that the checker must notice.
        package var diskLies = false
        package var log = Log.files
        /// Recovery passes over some of the records of trees: another such mutation.
        package var losesTreeRecords = false
        /// Recovery does not see that a commit was a session's end: another.
        package var forgetsEndings = false
        /// What rules read is not among what a judged commit rests on: another.
        package var forgetsRuleReads = false

        package init(seed: UInt64) {
            self.seed = seed
        }
    }

    /// What makes commits durable.
    package enum Log: Sendable {
        case files
        case shared(SimulatedSharedLog.Mutation?)
    }

    package struct Report: Sendable, CustomStringConvertible {
        package var commits = 0
        package var reads = 0
        /// Queries and counts that an index answered.
        package var indexReads = 0
        package var restarts = 0
        package var checkpoints = 0
        package var failedLogs = 0
        package var fullDisks = 0
        package var snapshots = 0
        /// Targets of listeners that had to begin again, and those that went on from a token or a time.
        package var resets = 0
        package var resumptions = 0
        /// Writes to trees that were acknowledged, those that came too late, and what the conditional ones have counted.
        package var treeWrites = 0
        package var staleWrites = 0
        package var counted = 0
        /// Sessions whose ends were written.
        package var ended = 0
        /// Commits that rules allowed, and how often one was judged again because what it rested on had changed.
        package var judged = 0
        package var outdated = 0

        package init() {}

        package mutating func add(_ other: Report) {
            self.commits += other.commits
            self.reads += other.reads
            self.indexReads += other.indexReads
            self.restarts += other.restarts
            self.checkpoints += other.checkpoints
            self.failedLogs += other.failedLogs
            self.fullDisks += other.fullDisks
            self.snapshots += other.snapshots
            self.resets += other.resets
            self.resumptions += other.resumptions
            self.treeWrites += other.treeWrites
            self.staleWrites += other.staleWrites
            self.counted += other.counted
            self.ended += other.ended
            self.judged += other.judged
            self.outdated += other.outdated
        }

        package var description: String {
            "\(self.commits) commits acknowledged, \(self.reads) reads checked, "
                + "\(self.indexReads) queries answered by an index, \(self.restarts) restarts, "
                + "\(self.checkpoints) checkpoints, \(self.failedLogs) failed logs, \(self.fullDisks) full disks, "
                + "\(self.snapshots) snapshots told, \(self.resets) targets reset, \(self.resumptions) resumed, "
                + "\(self.treeWrites) writes to trees, \(self.staleWrites) stale, \(self.counted) counted, "
                + "\(self.ended) sessions ended, "
                + "\(self.judged) commits judged, \(self.outdated) again"
        }
    }
}
