import ArgumentParser
import BrasaDocuments
import BrasaLog
import BrasaPlatform
import BrasaStore

struct StartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "How long a store takes to start from its log alone, and from a checkpoint alone."
    )

    @Option(help: "How many documents of about 100 bytes there are.")
    var documents = 1_000_000

    @Option(help: "Where the log is.")
    var data = "brasa-data/engine-load"

    private static let perCommit = 500

    func run() throws {
        guard self.documents > 0 else { throw ValidationError("no documents") }
        do {
            let store = try Store.opened(durability: .os, directory: self.data)
            defer { store.stop() }
            guard store.statistics.documents == 0 else { throw ValidationError("there are documents in \(self.data)") }
            try self.load(store)
        }
        try self.tell("log") { store in
            let start = Clock.system.monotonic()
            try store.checkpoint()
            print("checkpoint written in \(Clock.system.monotonic() - start)")
        }
        try self.tell("checkpoint") { _ in }
    }

    private func load(_ store: Store) throws {
        let database = store.database(try DatabaseName(project: "load", database: "(default)"))
        let text = Value.string(UTF8Text(String(repeating: "x", count: 90)))
        let fields = EncodedFields(encoding: [Value.MapEntry(key: "payload", value: text)])
        for first in stride(from: 0, to: self.documents, by: Self.perCommit) {
            let changes = try (first..<min(first + Self.perCommit, self.documents)).map { number in
                DocumentChange(
                    database: database,
                    path: try ResourcePath(parsing: Array("documents/\(number)".utf8)),
                    outcome: .set(fields, createTime: nil)
                )
            }
            _ = try store.apply(changes: changes, waiter: nil)
            while store.step() || store.prepareStep() {}
        }
    }

    /// Starts, and does something with the store.
    private func tell(_ source: String, _ work: (Store) throws -> Void) throws {
        let start = Clock.system.monotonic()
        let store = try Store.opened(durability: .os, directory: self.data)
        print("\(store.statistics.documents) documents from the \(source) in \(Clock.system.monotonic() - start)")
        defer { store.stop() }
        try work(store)
    }
}
