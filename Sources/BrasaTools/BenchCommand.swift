import ArgumentParser
import BrasaBench
import BrasaOptions
import Foundation

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Load a running server and say how fast it is.",
        subcommands: [BenchCallsCommand.self, BenchListenCommand.self, BenchClientCommand.self],
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
