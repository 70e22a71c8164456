import ArgumentParser

@main
struct BrasaTools: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "brasa-tools",
        abstract: "A writer of bundles and a load generator for a running server, and a trial of security rules.",
        version: "0.1.0",
        subcommands: [BundleCommand.self, RulesCommand.self, BenchCommand.self]
    )
}
