import ArgumentParser
import BrasaBench
import BrasaClientNetwork
import BrasaFirestore
import BrasaGRPC
import BrasaOptions

struct BenchCallsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calls",
        abstract: "Call a running server and say how fast it answers.",
        discussion: """
            Writes documents of the project "bench" first. Without --rate each stream sends its next call when the last \
            is answered; with it, calls start at fixed times and latency counts from then.
            """
    )

    enum Work: String, ExpressibleByArgument, CaseIterable {
        case get, commit, mixed, query, raw
    }

    enum Query: String, ExpressibleByArgument, CaseIterable {
        case range, group, count

        fileprivate var shape: BenchPlan.Query.Shape {
            switch self {
            case .range: .range
            case .group: .group
            case .count: .count
            }
        }
    }

    @Argument(help: "get, commit, mixed, query, or raw (any unary gRPC method, by --method and --message).")
    var work: Work

    @OptionGroup
    var measurement: BenchMeasurementOptions

    @Option(help: "Connections.")
    var connections = 8

    @Option(help: "Calls in flight on each connection, at most.")
    var streams = 32

    @Option(help: "Event loops of the load generator.")
    var threads = 1

    @Option(help: "Calls a second in all (open loop).")
    var rate: Double?

    @Option(help: "Make so many calls in all, and measure each, instead of for a time.")
    var calls: Int?

    @Option(help: "Documents that gets and queries choose from and commits write to.")
    var documents = 10_000

    @Option(help: "Databases that gets and commits spread over.")
    var databases = 1

    @Option(help: "Share of commits in mixed work, 0 to 1.")
    var commits = 0.1

    @Option(help: "Further fields of a document.")
    var fields = 0

    @Option(
        name: .customLong("query"),
        help: "For query: range (equality, range and order), group (the same of a collection group), or count."
    )
    var queryShape = Query.range

    @Option(help: "For query: documents that are equal in the field that queries compare.")
    var matches = 50

    @Option(help: "For query: only the first so many documents are asked for.")
    var queried: Int?

    @Flag(help: "The documents are there already.")
    var loaded = false

    @Option(help: "For raw: SERVICE/METHOD.")
    var method: String?

    @Option(help: "For raw: the request message in hexadecimal digits.")
    var message: String?

    @Option(help: "The token that calls show; empty: none.")
    var token = "owner"

    @Option(help: "A file with the certificates, in PEM, that vouch for the server: calls go over TLS.")
    var authority: String?

    @Option(help: "text, or row: calls a second, median and 99th percentile in microseconds.")
    var format: BenchCommand.Format = .text

    func run() async throws {
        try await BenchCommand.explainingErrors {
            let report = try await BenchRunner.run(try self.plan())
            try BenchCommand.print(report, self.format)
        }
    }

    private func plan() throws -> BenchPlan {
        let target = try self.measurement.planTarget()
        try BenchCommand.check("--connections", self.connections, 1...10_000)
        try BenchCommand.check("--streams", self.streams, 1...10_000)
        try BenchCommand.check("--threads", self.threads, 1...256)
        try BenchCommand.check("--documents", self.documents, 1...10_000_000)
        try BenchCommand.check(
            "--databases",
            self.databases,
            1...(self.work == .query ? 1 : min(self.documents, 10_000))
        )
        try BenchCommand.check("--size", self.measurement.size, 1...1_000_000)
        try BenchCommand.check("--fields", self.fields, 0...1_000)
        if self.work == .query {
            try BenchCommand.check("--matches", self.matches, 1...self.documents)
            try BenchCommand.check("--queried", self.queried ?? self.documents, self.matches...self.documents)
        }
        try BenchCommand.check("--rate", self.rate ?? 1, 0.01...1e9)
        try BenchCommand.check("--calls", self.calls ?? 1, 1...1_000_000_000)
        if self.calls != nil, self.rate != nil { throw BenchError("--calls and --rate exclude each other") }
        try BenchCommand.check("--commits", self.commits, 0...1)
        var plan = BenchPlan(
            host: target.host,
            port: target.port,
            work: try self.planWork(),
            pace: self.calls.map { .counted(calls: $0) } ?? self.rate.map { .open(callsPerSecond: $0) } ?? .closed,
            connections: self.connections,
            streams: self.streams,
            threads: self.threads,
            warmUp: try self.measurement.planWarmUp(),
            duration: try self.measurement.planDuration(),
            documents: self.documents,
            databases: self.databases,
            documentBytes: self.measurement.size,
            fields: self.fields,
            isLoaded: self.loaded
        )
        if let authority = self.authority {
            var settings = TLSSettings()
            settings.roots = .given(.file(authority))
            plan.security = .tls(settings)
        }
        plan.token = self.token.isEmpty ? nil : self.token
        return plan
    }

    private func planWork() throws -> BenchPlan.Work {
        switch self.work {
        case .get: return .get
        case .commit: return .commit
        case .mixed: return .mixed(commits: self.commits)
        case .query:
            let queried = self.queried ?? self.documents
            return .query(.init(shape: self.queryShape.shape, matches: self.matches, queried: queried))
        case .raw:
            let parts = (self.method ?? "").split(separator: "/")
            guard parts.count == 2, let bytes = Self.bytes(hexadecimal: self.message ?? "") else {
                throw BenchError("raw needs --method SERVICE/METHOD and --message in hexadecimal digits")
            }
            let method = GRPCMethodDescriptor(service: String(parts[0]), method: String(parts[1]), kind: .unary)
            return .raw(method, message: bytes)
        }
    }

    private static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
