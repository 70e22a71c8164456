import ArgumentParser
import BrasaOptions
import BrasaServer

struct IndexesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "indexes",
        abstract: "List the indexes of a running server.",
        discussion: """
            Indexes come when queries ask for them and go when none has used them for long, or when memory for them is \
            short: see --index-idle and --index-memory of brasa serve.
            """
    )

    @Option(help: "The server.")
    var address = ServerConfiguration().listen.description

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    func run() async throws {
        do {
            guard let address = ListenAddress(parsing: self.address) else {
                throw StartError("--address takes HOST:PORT, not \"\(self.address)\"")
            }
            let report = try await IndexListing.fetch(from: address)
            if self.json {
                print(report.json)
            } else {
                report.table.forEach { print($0) }
            }
        } catch {
            ProcessSurroundings.complain("\(error)")
            throw ExitCode(1)
        }
    }
}
