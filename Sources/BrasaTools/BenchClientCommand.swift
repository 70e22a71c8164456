import ArgumentParser
import BrasaBench
import BrasaOptions

struct BenchClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Use a running server through the Swift client, and say how fast the client is.",
        discussion: """
            Writes documents of the project "bench" first. Each task does its next call when the last is answered. The \
            processor time is that of this process, so calls a second of a core tell what the client costs whatever the \
            server does meanwhile.
            """
    )

    enum Work: String, ExpressibleByArgument, CaseIterable {
        case get, read, cached, query, set, commit, increment, transaction, change, listen

        fileprivate var planned: ClientPlan.Work {
            switch self {
            case .get: .get
            case .read: .read
            case .cached: .cached
            case .query: .query
            case .set: .set
            case .commit: .commit
            case .increment: .increment
            case .transaction: .transaction
            case .change: .change
            case .listen: .listen
            }
        }
    }

    @Argument(
        help: """
            get (getDocument from the server), read (BatchGetDocuments), cached (getDocument from the cache), query (20 \
            documents), set (setData), commit (Commit), increment (updateData), transaction (runTransaction), change (a \
            listener to all documents sees one change), or listen (a listener to a document, as many of them as there are \
            documents).
            """
    )
    var work: Work

    @OptionGroup
    var measurement: BenchMeasurementOptions

    @Option(help: "Clients, each with a connection of its own.")
    var clients = 1

    @Option(help: "Tasks of each client.")
    var tasks = 64

    @Option(help: "Make so many calls in all, and measure each, instead of for a time.")
    var calls: Int?

    @Option(help: "Documents that calls choose from.")
    var documents = 1_000

    @Option(
        help: """
            text, or row: calls a second, median and 99th percentile in microseconds, and calls a second of the client's \
            processor time.
            """
    )
    var format = BenchCommand.Format.text

    func run() async throws {
        try await BenchCommand.explainingErrors {
            let report = try await ClientRunner.run(try self.plan())
            try BenchCommand.print(report, self.format)
        }
    }

    private func plan() throws -> ClientPlan {
        let target = try self.measurement.planTarget()
        try BenchCommand.check("--clients", self.clients, 1...1_000)
        try BenchCommand.check("--tasks", self.tasks, 1...10_000)
        try BenchCommand.check("--calls", self.calls ?? 1, 1...1_000_000_000)
        // A listener goes on until its document's turn comes again.
        let documentsMin = self.work == .listen ? self.tasks + 1 : 1
        try BenchCommand.check("--documents", self.documents, documentsMin...1_000_000)
        try BenchCommand.check("--size", self.measurement.size, 40...1_000_000)
        return ClientPlan(
            host: target.host,
            port: target.port,
            work: self.work.planned,
            clients: self.clients,
            tasks: self.tasks,
            documents: self.documents,
            documentBytes: self.measurement.size,
            calls: self.calls,
            warmUp: try self.measurement.planWarmUp(),
            duration: try self.measurement.planDuration()
        )
    }
}
