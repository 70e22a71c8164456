import ArgumentParser
import BrasaBench
import BrasaOptions

struct BenchTreeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree",
        abstract: "Load a running server's Realtime Database by WebSocket, and say how fast it is.",
        discussion: """
            Everything is done in the tree "bench". write: each connection has some durable writes of one leaf in flight, \
            and sends the next when one is answered. listen: one writer changes a leaf of a node. The first listener of a \
            connection listens to the node, further ones to queries of it, since a connection listens to the same once. \
            Times count as those of bench listen; with --listeners 0 only the writes are measured.
            """
    )

    enum Work: String, ExpressibleByArgument, CaseIterable {
        case write, listen
    }

    @Argument(help: "write, or listen.")
    var work: Work

    @OptionGroup
    var measurement: BenchMeasurementOptions

    @Option(help: "Connections: 8 for write, 100 for listen. The writer of listen has one more.")
    var connections: Int?

    @Option(help: "For write: writes in flight on each connection.")
    var inFlight = 32

    @Option(help: "For write: leaves that are written to.")
    var places = 10_000

    @Option(help: "For listen: listeners, spread over the connections.")
    var listeners = 10_000

    @Option(help: "For listen: changes a second (open loop).")
    var rate: Double?

    @Option(help: "For listen: the server's process on this machine, to look at its memory and processor time.")
    var process: Int?

    @Option(help: "The token that connections show; empty: none.")
    var token = "owner"

    @Option(help: "text, or row: for write as of bench calls, for listen as of bench listen.")
    var format = BenchCommand.Format.text

    func run() async throws {
        try await BenchCommand.explainingErrors {
            switch self.work {
            case .write:
                let report = try await TreeRunner.write(try self.writePlan())
                try BenchCommand.print(report, self.format)
            case .listen: try await self.listen()
            }
        }
    }

    private func listen() async throws {
        let plan = try self.listenPlan()
        let report = try await TreeRunner.listen(plan)
        BenchListenText(report, plan.listeners, on: plan.base.connections, silent: 0, isPaced: self.rate != nil)
            .print(self.format)
        guard plan.listeners == 0 ? report.answersPerSecond > 0 : report.events > 0 else {
            throw BenchError("nothing was received")
        }
    }

    private func plan(connections: Int) throws -> TreePlan {
        let target = try self.measurement.planTarget()
        try BenchCommand.check("--connections", connections, 1...10_000)
        // Shorter ones would not hold a stamp.
        try BenchCommand.check("--size", self.measurement.size, 64...TreePlan.valueBytesMax)
        return TreePlan(
            host: target.host,
            port: target.port,
            token: self.token.isEmpty ? nil : self.token,
            connections: connections,
            valueBytes: self.measurement.size,
            warmUp: try self.measurement.planWarmUp(),
            duration: try self.measurement.planDuration()
        )
    }

    private func writePlan() throws -> TreeWritePlan {
        let base = try self.plan(connections: self.connections ?? 8)
        try BenchCommand.check("--in-flight", self.inFlight, 1...10_000)
        try BenchCommand.check("--places", self.places, 1...10_000_000)
        return TreeWritePlan(base, inFlight: self.inFlight, places: self.places)
    }

    private func listenPlan() throws -> TreeListenPlan {
        let base = try self.plan(connections: self.connections ?? 100)
        try BenchCommand.check("--listeners", self.listeners, 0...min(1_000_000, 1_024 * base.connections))
        try BenchCommand.check("--rate", self.rate ?? 1, 0.01...1e6)
        return TreeListenPlan(
            base,
            listeners: self.listeners,
            pace: self.rate.map { .open(changesPerSecond: $0) } ?? .closed,
            process: self.process
        )
    }
}
