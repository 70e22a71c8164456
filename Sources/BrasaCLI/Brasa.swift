import ArgumentParser

@main
struct Brasa: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "brasa",
        abstract: "A durable document database that speaks the Cloud Firestore protocol.",
        version: "0.1.0",
        subcommands: [
            ServeCommand.self, CheckCommand.self, IndexesCommand.self, HealthCommand.self, KeysCommand.self,
            RulesCommand.self,
        ]
    )
}
