import ArgumentParser
import BrasaBench
import BrasaOptions

struct BenchListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Listen to a running server with many streams, and say how fast they hear of changes.",
        discussion: """
            One writer changes documents of the project "bench". An event is the receipt of one change by one listener. \
            Its time counts from the moment the writer sends the commit; with --rate, from the moment it should have \
            sent it. So the commit itself and its durability are in it. Without --rate the next change is sent when \
            every listener that reads has received the last. With --listeners 0 only the commits are measured.
            """
    )

    enum Subject: String, ExpressibleByArgument, CaseIterable {
        case document, query
    }

    enum Peer: String, ExpressibleByArgument, CaseIterable {
        case firestore, etcd
    }

    @OptionGroup
    var measurement: BenchMeasurementOptions

    @Option(help: "What to speak: firestore (Listen and Commit), or etcd (Watch and Put).")
    var peer = Peer.firestore

    @Option(help: "What all listen to: one document, or a query that matches ten (for etcd a key, or a range of ten).")
    var subject = Subject.document

    @Option(help: "Listeners, each on a stream of its own.")
    var listeners = 10_000

    @Option(help: "Connections that the listeners share.")
    var connections = 100

    @Option(help: "Listeners, spread over the connections, that stop reading once they have the first state.")
    var stalled = 0

    @Option(help: "Connections that are not read any more once their listeners have the first state.")
    var stalledConnections = 0

    @Option(help: "Changes a second (open loop).")
    var rate: Double?

    @Option(help: "The server's process on this machine, to look at its memory and processor time.")
    var process: Int?

    @Option(help: BenchListenText.rowHelp)
    var format = BenchCommand.Format.text

    func run() async throws {
        try await BenchCommand.explainingErrors {
            let plan = try self.plan()
            let report = try await ListenRunner.run(plan)
            let silent = plan.listeners - plan.reading
            BenchListenText(report, plan.listeners, on: plan.connections, silent: silent, isPaced: self.rate != nil)
                .print(self.format)
            guard plan.reading == 0 ? report.answersPerSecond > 0 : report.events > 0 else {
                throw BenchError("nothing was received")
            }
        }
    }

    private func plan() throws -> ListenPlan {
        let target = try self.measurement.planTarget()
        try BenchCommand.check("--connections", self.connections, 1...10_000)
        // As many as a server lets a connection open, by default.
        try BenchCommand.check("--listeners", self.listeners, 0...min(1_000_000, 1_024 * self.connections))
        try BenchCommand.check("--stalled", self.stalled, 0...max(0, self.listeners - 1))
        try BenchCommand.check("--stalled-connections", self.stalledConnections, 0...self.connections - 1)
        try BenchCommand.check("--rate", self.rate ?? 1, 0.01...1e6)
        // Shorter messages would be taken for some about targets.
        try BenchCommand.check("--size", self.measurement.size, 64...1_000_000)
        let plan = ListenPlan(
            host: target.host,
            port: target.port,
            peer: self.peer == .etcd ? .etcd : .firestore,
            subject: self.subject == .query ? .query : .document,
            pace: self.rate.map { .open(changesPerSecond: $0) } ?? .closed,
            listeners: self.listeners,
            connections: self.connections,
            stalled: self.stalled,
            stalledConnections: self.stalledConnections,
            documentBytes: self.measurement.size,
            warmUp: try self.measurement.planWarmUp(),
            duration: try self.measurement.planDuration(),
            process: self.process
        )
        guard plan.reading > 0 || self.listeners == 0 else { throw BenchError("no listener is left to read") }
        return plan
    }
}
