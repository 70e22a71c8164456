import ArgumentParser
import BrasaPlatform
import BrasaStore
import Synchronization

struct QueriesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queries",
        abstract: "Queries of 20 documents and counts of 50: `pageInline` and `countInline` in a profile."
    )

    @Option(help: "How many of each.")
    var queries = 1_000

    @Option(help: "Among how many documents.")
    var documents = 10_000

    @Option(help: "Where the log is.")
    var data = "brasa-data/engine-load"

    func run() throws {
        let rows = try Rows(documents: self.documents, directory: self.data)
        defer { rows.store.stop() }
        let pages = (0..<self.queries).map { rows.page($0) }
        let counts = (0..<self.queries).map { rows.count($0) }
        try self.tell("a query of 20", pages.map { page in { try rows.pageInline(page) } })
        try self.tell("a count of 50", counts.map { count in { try rows.countInline(count) } })
    }

    private func tell(_ name: String, _ calls: [() throws -> Int]) throws {
        let start = Clock.system.monotonic()
        var found = 0
        for call in calls { found += try call() }
        let took = Clock.system.monotonic() - start
        print("\(name): \(took / self.queries), \(Double(found) / Double(self.queries)) found")
    }
}

struct BesideCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beside",
        abstract: "Commits, none of which waits for the disk, beside threads that read or count all documents."
    )

    @Option(help: "Threads that read.")
    var readers = 2

    @Flag(help: "They count.")
    var counting = false

    @Option(help: "How many commits.")
    var commits = 100_000

    @Option(help: "Among how many documents.")
    var documents = 100_000

    @Option(help: "Where the log is.")
    var data = "brasa-data/engine-load"

    func run() throws {
        let rows = try Rows(documents: self.documents, directory: self.data)
        defer { rows.store.stop() }
        let readers = Readers(self.readers, of: rows, counting: self.counting)
        let start = Clock.system.monotonic()
        let times = rows.commit(self.commits).sorted()
        let took = Clock.system.monotonic() - start
        let read = readers.stop()
        for (name, part) in [("median", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("most", 1)] {
            print("\(name): \(times[min(Int(Double(times.count) * part), times.count - 1)])")
        }
        print("\(read / self.commits) entries read a commit, \(took / max(read, 1)) of all threads' time each")
    }
}

/// Threads that read a store's rows until they are stopped.
private final class Readers: Sendable {
    private let isDone = Atomic<Bool>(false)
    private let read = Atomic<Int>(0)
    private let workers: [Worker]

    init(_ count: Int, of rows: Rows, counting: Bool) {
        self.workers = (0..<count).map { Worker(name: "reader-\($0)") }
        for worker in self.workers {
            worker.start {
                let isWanted = { !self.isDone.load(ordering: .relaxed) }
                let read = try? counting ? rows.countAll(while: isWanted) : rows.walk(while: isWanted)
                self.read.add(read ?? 0, ordering: .relaxed)
                return false
            }
        }
    }

    /// How many entries they have read.
    func stop() -> Int {
        self.isDone.store(true, ordering: .relaxed)
        for worker in self.workers { worker.stop() }
        return self.read.load(ordering: .relaxed)
    }
}
