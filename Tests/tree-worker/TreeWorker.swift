import ArgumentParser
import BrasaDatabase
import Dispatch

/// A process with the Swift client of the Realtime Database, for tests that kill it, break its connection or hold it beside
/// another client: it does what lines of JSON ask for, until the input ends. The URL names the server, or
/// `FIREBASE_DATABASE_EMULATOR_HOST` does.
@main
struct TreeWorker: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "tree-worker")

    @Option(help: "The database's URL.")
    var url: String

    @Option(help: "The folder of what is kept on disk; without it nothing is.")
    var folder: String?

    @Option(help: "A user's token, where the environment names no server; without it the process is the owner.")
    var token: String?

    @Option(help: "Where the process shows that it is connected, for as long as it is.")
    var presence: String?

    @Option(help: "What tells this process from others that showed themselves at the same place.")
    var life = "0"

    func run() {
        let queue = DispatchQueue(label: "handlers")
        let database = Database.database(url: self.url)
        database.callbackQueue = queue
        if let token { database.tokenProvider = { _ in token } }
        if let folder {
            database.isPersistenceEnabled = true
            database.persistenceFolder = folder
        }
        let output = WorkerOutput()
        let line = WorkerLine(database, output, presence: self.presence, life: self.life)
        let client = WorkerTree(database, output, line)
        queue.async { line.watch() }
        while let text = readLine() {
            queue.async { client.perform(text) }
        }
        queue.sync {}
    }
}
