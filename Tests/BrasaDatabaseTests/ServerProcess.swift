import BrasaApp
import BrasaPrograms
import Foundation
import Testing

@testable import BrasaDatabase

/// A `brasa serve` in a process of its own, which keeps nothing. It ends with its suite or, should that not come to its end,
/// with the process of the tests.
final class ServerProcess: Sendable {
    /// Of the suite that runs.
    @TaskLocal static var current: ServerProcess?

    let port: Int
    private let folder: String
    private let process = Process()
    private let input = Pipe()

    struct NoServer: Error {
        let output: String
    }

    /// Kills the server when it is told anything, or when nobody is left who could. It does not wait for its end: whoever started
    /// it may have blocked the signal that says so.
    private static let script = """
        "$0" serve "$@" & server=$!
        exec >&-
        read -r line
        kill -KILL $server
        """

    init() throws {
        self.folder = FileManager.default.temporaryDirectory.appending(path: "brasa-\(UUID().uuidString)").path
        let output = Pipe()
        self.process.executableURL = URL(filePath: "/bin/sh")
        self.process.arguments =
            ["-c", Self.script, BuiltProgram.url("brasa").path, "--listen", "127.0.0.1:0", "--data-dir", self.folder]
            + ["--durability", "memory", "--threads", "1", "--log-level", "critical"]
        self.process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("BRASA_") }
        self.process.standardInput = self.input
        self.process.standardOutput = output
        try self.process.run()
        let line = try output.fileHandleForReading.firstLine()
        let port = line.hasPrefix("listening on ") ? line.split(separator: ":").last.flatMap { Int($0) } : nil
        self.port = port ?? 0
        if port == nil {
            self.kill()
            throw NoServer(output: line)
        }
    }

    func kill() {
        try? self.input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        try? self.input.fileHandleForWriting.close()
        self.process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: self.folder)
    }
}

/// A database of one test's, which is empty at first.
struct ServedDatabase {
    let port: Int
    let name: String

    /// A client of its own, as every process has one.
    func database() throws -> Database { try Databases.emulated(port: self.port, name: self.name) }
}

/// Runs a test with a database of its own in the suite's server process, and a client of it.
func withServedDatabase(_ body: (ServedDatabase, Database) async throws -> Void) async throws {
    let process = try #require(ServerProcess.current)
    let served = ServedDatabase(port: process.port, name: "demo-\(UUID().uuidString.lowercased())")
    let database = try served.database()
    defer { database.goOffline() }
    try await body(served, database)
}

/// One server process for a whole suite.
struct ServerProcessTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let server = try ServerProcess()
        defer { server.kill() }
        try await ServerProcess.$current.withValue(server) { try await function() }
    }
}

extension Trait where Self == ServerProcessTrait {
    static var serverProcess: Self { Self() }
}
