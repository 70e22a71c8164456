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

    @Option(help: "How many times so many more, each followed by the end of the history.")
    var rounds = 1

    @Option(help: "What is kept of the past at most. All changes have to fit.")
    var historyBytes = 256 << 20

    @Flag(inversion: .prefixedNo, help: "Whether all changes have to be within the history when it is asked.")
    var inHistory = true

    @Option(help: "How many queries a batch has.")
    var queries = 1_000

    @Option(help: "A figure is the median of so many batches.")
    var batches = 20

    @Option(help: "Where the log is.")
    var data = "brasa-data/engine-load"

    func run() throws {
        guard let work = ChurnWork(rawValue: self.work) else { throw ValidationError("no work: \(self.work)") }
        guard self.queries > 0, self.batches > 0 else { throw ValidationError("no queries") }
        let churn = try Churn(
            work,
            count: self.documents,
            historyBytesMax: self.historyBytes,
            directory: self.data
        )
        try self.tell("fresh", churn)
        let start = churn.now
        try churn.change(self.changes)
        try self.tell("changed", churn)
        if self.inHistory { try churn.checkHistory(since: start, changes: self.changes) }
        churn.passWindow()
        try self.tell("passed", churn)
        for _ in 0..<self.rounds {
            try churn.change(self.changes)
            churn.passWindow()
            try self.tell("again", churn)
        }
    }

    private func tell(_ when: String, _ churn: Churn) throws {
        // What was not asked lately is in no cache.
        _ = try churn.ask(self.queries, batches: 1)
        let (took, examined) = try churn.ask(self.queries, batches: self.batches)
        ResidentMemory.settle()
        let sizes = [ResidentMemory.bytes, churn.bytes, churn.historyBytes].map { "\($0 >> 10) KiB" }
        print("\(when) \(took) \(examined) entries, \(sizes[0]), counted \(sizes[1]), history \(sizes[2])")
    }
}
