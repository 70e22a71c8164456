import ArgumentParser
import BrasaLog
import BrasaPlatform
import BrasaStore

/// What the engine alone takes, without network and protocol: for profiles and counts (docs/performance.md).
@main
struct EngineLoad: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Works the engine as fast as it goes, and says what that takes.",
        subcommands: [
            CommitsCommand.self, QueriesCommand.self, BesideCommand.self, ChurnCommand.self, StartCommand.self,
        ],
        defaultSubcommand: CommitsCommand.self
    )
}

struct CommitsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "commits", abstract: "Commits of one write.")

    @Option(help: "fsync, os or memory.")
    var durability = "fsync"

    @Option(help: "Threads that commit; 0: this one, whose commits are `commitInline` in a profile.")
    var loops = 2

    @Option(help: "Commits in flight.")
    var inFlight = 256

    @Option(help: "How many commits.")
    var commits = 200_000

    @Option(help: "Over how many documents they are spread.")
    var documents = 10_000

    @Flag(help: "Records say what the documents were before.")
    var beforeImages = false

    @Option(help: "Where the log is.")
    var data = "brasa-data/engine-load"

    func run() throws {
        guard let durability = Durability(rawValue: self.durability) else {
            throw ValidationError("no durability: \(self.durability)")
        }
        let engine = try Engine(durability: durability, directory: self.data, documents: self.documents)
        defer { engine.store.stop() }
        let subscription = self.beforeImages ? engine.subscribeToBeforeImages() : nil
        defer { withExtendedLifetime(subscription) {} }
        let start = Clock.system.monotonic()
        if self.loops == 0 {
            let mailbox = Inline()
            for number in 0..<self.commits { engine.commitInline(number, on: mailbox) }
        } else {
            let posts = engine.commit(self.commits, inFlight: self.inFlight, loops: self.loops)
            print("\(Double(self.commits) / Double(posts)) commits a post")
        }
        let took = Clock.system.monotonic() - start
        print("\(took / self.commits) a commit, \(engine.failureCount) failed")
        print("\(engine.store.statistics.logBytesSinceCheckpoint / self.commits) bytes of log a commit")
    }
}
