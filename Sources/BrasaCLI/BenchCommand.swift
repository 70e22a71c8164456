import ArgumentParser
import BrasaBench
import BrasaServer
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
            FileHandle.standardError.write(Data("brasa: \(error.description)\n".utf8))
            throw ExitCode(1)
        }
    }

    static func address(_ text: String) throws -> ListenAddress {
        guard let address = ListenAddress(parsing: text) else {
            throw BenchError("--target takes HOST:PORT, not \"\(text)\"")
        }
        return address
    }

    static func duration(_ option: String, _ text: String) throws -> Duration {
        guard let duration = DurationText.parse(text) else {
            throw BenchError("\(option) takes a duration such as 500ms or 10s, not \"\(text)\"")
        }
        return duration
    }

    static func check<Number>(_ option: String, _ value: Number, _ range: ClosedRange<Number>) throws {
        guard !range.contains(value) else { return }
        throw BenchError("\(option) takes a number from \(range.lowerBound) to \(range.upperBound), not \(value)")
    }
}
