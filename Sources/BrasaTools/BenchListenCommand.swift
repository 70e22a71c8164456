import ArgumentParser
import BrasaBench
import BrasaOptions
import Foundation

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

    @Option(
        help: """
            text, or row: events a second, their median and 99th percentile in microseconds, the writer's answers a \
            second and their median, and with --process its resident bytes without listeners, with idle ones, and in the \
            end, and the microseconds of processor time that an event took of it and of the load generator.
            """
    )
    var format = BenchCommand.Format.text

    func run() async throws {
        try await BenchCommand.explainingErrors {
            let plan = try self.plan()
            let report = try await ListenRunner.run(plan)
            switch self.format {
            case .row: self.printRow(report)
            case .text: self.printText(report, plan)
            }
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

    private func printRow(_ report: ListenReport) {
        var numbers = [report.eventsPerSecond] + [50, 99].map { report.deliveryMicroseconds(atPercentile: $0) }
        numbers += [report.answersPerSecond, report.answerMicroseconds(atPercentile: 50)]
        if let resident = report.resident {
            numbers += [resident.before, resident.listening, resident.after].map(Double.init)
        }
        if let (server, generator) = report.processorMicroseconds { numbers += [server, generator] }
        print(numbers.map { String(format: "%.2f", $0) }.joined(separator: " "))
    }

    private func printText(_ report: ListenReport, _ plan: ListenPlan) {
        let changes = Double(report.changes) / (report.duration / .seconds(1))
        print(String(format: "%.0f events/s, of %.1f changes/s", report.eventsPerSecond, changes))
        let silent = plan.listeners - plan.reading
        print("  \(plan.listeners) listeners on \(plan.connections) connections; \(silent) have stopped reading")
        let start = self.rate == nil ? "sent the commit" : "should have sent the commit"
        print("from the time the writer \(start)")
        self.printTimes("to a listener's receipt", report.deliveryMicroseconds)
        self.printTimes("to the writer's answer", report.answerMicroseconds)
        if let (server, generator) = report.processorMicroseconds {
            let times = String(format: "%.2f µs of the server's, %.2f µs of the load generator's", server, generator)
            print("processor time an event: \(times)")
        }
        guard let resident = report.resident, plan.listeners > 0 else { return }
        let megabytes = [resident.before, resident.listening, resident.after].map {
            String(format: "%.1f MB", Double($0) / 1e6)
        }
        let each = Double(resident.listening - resident.before) / Double(plan.listeners) / 1024
        print("resident without listeners \(megabytes[0]), with idle ones \(megabytes[1]), in the end \(megabytes[2])")
        print(String(format: "  an idle listener, with its part of a connection: %.2f KiB", each))
    }

    private func printTimes(_ what: String, _ microseconds: (Double) -> Double) {
        let times = [50.0, 90, 99, 99.9, 100].map {
            "p\($0.formatted()) \(String(format: "%.0f", microseconds($0))) µs"
        }
        print("  \(what): \(times.joined(separator: ", "))")
    }
}
