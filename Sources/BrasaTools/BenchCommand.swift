import ArgumentParser
import BrasaBench
import BrasaOptions
import BrasaStatus
import Foundation

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Load a running server and say how fast it is.",
        subcommands: [
            BenchCallsCommand.self, BenchListenCommand.self, BenchClientCommand.self, BenchTreeCommand.self,
            BenchTreeClientCommand.self, BenchTreeCacheCommand.self,
        ],
        defaultSubcommand: BenchCallsCommand.self
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, row
    }

    // MARK: What the commands share

    static func explainingErrors(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as BenchError {
            FileHandle.standardError.write(Data("brasa-tools: \(error.description)\n".utf8))
            throw ExitCode(1)
        }
    }

    static func check<Number>(_ option: String, _ value: Number, _ range: ClosedRange<Number>) throws {
        guard !range.contains(value) else { return }
        throw BenchError("\(option) takes a number from \(range.lowerBound) to \(range.upperBound), not \(value)")
    }

    static func address(_ option: String, _ text: String) throws -> ListenAddress {
        guard let address = ListenAddress(parsing: text) else {
            throw BenchError("\(option) takes HOST:PORT, not \"\(text)\"")
        }
        return address
    }

    /// What was measured of a client. Throws where there is nothing.
    static func print(_ report: ClientReport, _ format: Format) throws {
        let calls = report.calls
        let rates = [calls.callsPerSecond, report.callsPerCoreSecond].map { String(format: "%.0f", $0) }
        let latencies = [50.0, 99].map { String(format: "%.0f", calls.microseconds(atPercentile: $0)) }
        switch format {
        case .row:
            Swift.print(rates[0], latencies[0], latencies[1], rates[1])
        case .text:
            Swift.print("\(rates[0]) a second, \(rates[1]) a second of the client's processor time")
            Swift.print("  p50 \(latencies[0]) µs, p99 \(latencies[1]) µs")
        }
        let failed = calls.failures.values.reduce(0, +)
        if failed > 0 {
            let example = calls.failureExample ?? ""
            FileHandle.standardError.write(Data("\(failed) calls failed, the first: \(example)\n".utf8))
        }
        guard calls.calls > 0 else {
            throw BenchError("nothing was measured: \(calls.failureExample ?? "no call was made, and no event came")")
        }
    }

    /// What was measured of calls. Throws where there is nothing.
    static func print(_ report: BenchReport, _ format: Format) throws {
        let percentiles = [50.0, 90, 99, 99.9, 100]
        let latencies = percentiles.map { String(format: "%.0f", report.microseconds(atPercentile: $0)) }
        let rate = String(format: "%.0f", report.callsPerSecond)
        switch format {
        case .row:
            Swift.print(rate, latencies[0], latencies[2])
        case .text:
            Swift.print("\(rate) calls/s")
            for (percentile, latency) in zip(percentiles, latencies) {
                Swift.print("  p\(percentile.formatted()) \(latency) µs")
            }
        }
        for (code, count) in report.failures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            FileHandle.standardError.write(Data("\(count) calls failed with \(code.name)\n".utf8))
        }
        if let example = report.failureExample {
            FileHandle.standardError.write(Data("the first: \(example)\n".utf8))
        }
        guard report.calls > 0 else {
            throw BenchError("no call was answered: \(report.failureExample ?? "none was made")")
        }
    }
}

/// What every measurement is told.
struct BenchMeasurementOptions: ParsableArguments {
    @Option(help: "The server.")
    private var target = "127.0.0.1:8080"

    @Option(help: "Bytes of a document's fields.")
    private(set) var size = 150

    @Option(help: "How long to measure.")
    private var duration = "10s"

    @Option(help: "How long to press before measuring.")
    private var warmUp = "1s"

    func planTarget() throws -> ListenAddress { try BenchCommand.address("--target", self.target) }

    func planDuration() throws -> Duration { try Self.duration("--duration", self.duration) }

    func planWarmUp() throws -> Duration { try Self.duration("--warm-up", self.warmUp) }

    private static func duration(_ option: String, _ text: String) throws -> Duration {
        guard let duration = DurationText.parse(text) else {
            throw BenchError("\(option) takes a duration such as 500ms or 10s, not \"\(text)\"")
        }
        return duration
    }
}
