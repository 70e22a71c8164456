import ArgumentParser
import BrasaBench
import BrasaOptions
import BrasaStatus
import Foundation

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Load a running server and say how fast it is.",
        subcommands: [BenchCallsCommand.self, BenchListenCommand.self, BenchClientCommand.self, BenchTreeCommand.self],
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

    func planTarget() throws -> ListenAddress {
        guard let address = ListenAddress(parsing: self.target) else {
            throw BenchError("--target takes HOST:PORT, not \"\(self.target)\"")
        }
        return address
    }

    func planDuration() throws -> Duration { try Self.duration("--duration", self.duration) }

    func planWarmUp() throws -> Duration { try Self.duration("--warm-up", self.warmUp) }

    private static func duration(_ option: String, _ text: String) throws -> Duration {
        guard let duration = DurationText.parse(text) else {
            throw BenchError("\(option) takes a duration such as 500ms or 10s, not \"\(text)\"")
        }
        return duration
    }
}
