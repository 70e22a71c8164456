import ArgumentParser
import BrasaOptions
import BrasaServer

struct IndexesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "indexes",
        abstract: "List the indexes of a running server.",
        discussion: """
            Indexes come when queries ask for them and go when none has used them for long, or when memory for them is \
            short: see --index-idle and --index-memory of brasa serve. One that does not fit is not there, and tried again \
            after a while.
            """
    )

    @Option(help: "The server.")
    var address = ServerConfiguration().listen.description

    @Flag(help: "Speak TLS.")
    var tls = false

    @Option(help: "Whose certificates to believe, a PEM file; implies --tls (default: those that the system believes).")
    var ca: String?

    @Option(help: "A key file of `brasa keys create`, for a server that asks who calls.")
    var key: String?

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    func run() async throws {
        do {
            guard let address = ListenAddress(parsing: self.address) else {
                throw StartError("--address takes HOST:PORT, not \"\(self.address)\"")
            }
            let report = try await IndexListing.fetch(
                from: ServerAccess(address, speaksTLS: self.tls, authorities: self.ca, keyFile: self.key)
            )
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
