import ArgumentParser
import BrasaBench
import BrasaOptions

struct BenchTreeClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree-client",
        abstract: "Use a running server's Realtime Database through its Swift client, and say how fast the client is.",
        discussion: """
            Writes leaves of the tree "bench" first. Each task does its next call when the last is answered. children and \
            values count events instead, of what another process writes meanwhile: bench tree write, with as many \
            --places as there are leaves; their times count from the writing. The processor time is that of this process.
            """
    )

    enum Work: String, ExpressibleByArgument, CaseIterable {
        case set, increment, transaction, get, first, change, children, values

        fileprivate var planned: TreeClientPlan.Work {
            switch self {
            case .set: .set
            case .increment: .increment
            case .transaction: .transaction
            case .get: .get
            case .first: .first
            case .change: .change
            case .children: .children
            case .values: .values
            }
        }
    }

    @Argument(
        help: """
            set (setValue), increment (setValue of one), transaction (runTransactionBlock), get (getData), first (a listener \
            to all leaves has its first value; of one task), change (another client changes a leaf until a listener to all \
            of them is told), children (childChanged events), or values (value events of all leaves).
            """
    )
    var work: Work

    @OptionGroup
    var measurement: BenchMeasurementOptions

    @Option(help: "Tasks of the client.")
    var tasks = 64

    @Option(help: "Leaves that calls choose from.")
    var leaves = 1_000

    @Option(
        help: """
            text, or row: calls or events a second, median and 99th percentile in microseconds, and calls or events a \
            second of the client's processor time.
            """
    )
    var format = BenchCommand.Format.text

    func run() async throws {
        try await BenchCommand.explainingErrors {
            let report = try await TreeClientRunner.run(try self.plan())
            try BenchCommand.print(report, self.format)
        }
    }

    private func plan() throws -> TreeClientPlan {
        let target = try self.measurement.planTarget()
        // Tasks that listen to the same at a time would share what comes, and of those that change the same one may see
        // nothing of its own.
        let tasksMax = self.work == .first ? 1 : self.work == .change ? min(10_000, self.leaves) : 10_000
        try BenchCommand.check("--leaves", self.leaves, 1...1_000_000)
        try BenchCommand.check("--tasks", self.tasks, 1...tasksMax)
        try BenchCommand.check("--size", self.measurement.size, 64...TreePlan.valueBytesMax)
        return TreeClientPlan(
            host: target.host,
            port: target.port,
            work: self.work.planned,
            tasks: self.tasks,
            leaves: self.leaves,
            valueBytes: self.measurement.size,
            warmUp: try self.measurement.planWarmUp(),
            duration: try self.measurement.planDuration()
        )
    }
}
