import ArgumentParser

@main
struct BrasaTools: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "brasa-tools",
        abstract: "Clients of a running server: a writer of bundles, and a load generator.",
        version: "0.1.0",
        subcommands: [BundleCommand.self, BenchCommand.self]
    )
}
