import ArgumentParser

struct ChurnCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "churn",
        abstract:
            "What is asked of collections that change all day: when fresh, and after many changes within the history."
    )

    @Option(help: "queue, leaderboard, timeline or sessions.")
    var work = "queue"

    @Option(help: "How many documents are there.")
    var documents = 10_000

    @Option(help: "How many changes.")
    var changes = 100_000

    @Option(help: "How many queries a figure is of.")
    var queries = 1_000

    @Option(help: "Where the log is.")
    var data = "brasa-data/engine-load"

    func run() throws {
        guard let work = ChurnWork(rawValue: self.work) else { throw ValidationError("no work: \(self.work)") }
        let churn = try Churn(work, count: self.documents, directory: self.data)
        try self.tell("fresh", churn)
        try churn.change(self.changes)
        try self.tell("changed", churn)
        churn.passWindow()
        try self.tell("passed", churn)
        try churn.change(self.changes)
        churn.passWindow()
        try self.tell("again", churn)
    }

    private func tell(_ when: String, _ churn: Churn) throws {
        // What was not asked lately is in no cache.
        _ = try churn.ask(self.queries)
        let (took, examined) = try churn.ask(self.queries)
        print("\(when) \(took) \(examined) entries, \(ResidentMemory.bytes >> 10) KiB")
    }
}
