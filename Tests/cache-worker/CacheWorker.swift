import ArgumentParser

/// Programs over the Swift client's disk cache, for tests that kill them and for figures. The server's address and the
/// project come from the environment.
@main
struct CacheWorker: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache-worker",
        subcommands: [ServeCommand.self, SoakCommand.self, FiguresCommand.self]
    )
}
