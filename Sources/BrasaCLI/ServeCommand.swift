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
            let reader = SettingsReader(arguments: self.arguments, environment: ProcessSurroundings.variables)
            let settings = try reader.read()
            guard !settings.isToBePrinted else { return print(settings.yaml, terminator: "") }
            try await BrasaServer.run(settings, from: reader) { address in
                print("listening on \(address)")
                ProcessSurroundings.flushOutput()
            }
        } catch {
            ProcessSurroundings.complain("\(error)")
            throw ExitCode(1)
        }
    }
}
