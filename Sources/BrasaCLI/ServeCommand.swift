import ArgumentParser
import BrasaServer

/// Its options are the settings of the server (`Setting.all`), which are read here and not by the parser of commands.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a data folder.",
        usage: "brasa serve [--OPTION VALUE] ...",
        discussion: Setting.helpText
    )

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp(visibility: .hidden))
    var arguments: [String] = []

    func run() async throws {
        // These are passed through as well.
        if self.arguments.contains(where: { $0 == "--help" || $0 == "-h" }) { throw CleanExit.helpRequest(self) }
        if self.arguments.contains("--version") { throw CleanExit.message(Brasa.configuration.version) }
        do {
            let configuration = try SettingsReader.configuration(
                arguments: self.arguments,
                environment: ProcessSurroundings.variable
            )
            try await BrasaServer.run(configuration) { address in
                print("listening on \(address)")
                ProcessSurroundings.flushOutput()
            }
        } catch {
            ProcessSurroundings.complain("\(error)")
            throw ExitCode(1)
        }
    }
}
