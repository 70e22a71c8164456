import ArgumentParser
import BrasaLog
import BrasaOptions
import BrasaServer
import Foundation
import Logging

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a data folder.",
        discussion: """
            Each option can also be set by an environment variable: BRASA_LISTEN, BRASA_DATA_DIR, BRASA_DURABILITY, \
            BRASA_SHARDS, BRASA_THREADS, BRASA_HISTORY, BRASA_INDEX_MEMORY, BRASA_INDEX_IDLE, \
            BRASA_CONNECTION_MEMORY, BRASA_CONNECTIONS, BRASA_CONNECTIONS_PER_ADDRESS, BRASA_RECEIVE_TIME, \
            BRASA_EMULATOR, BRASA_INSECURE, BRASA_LOG_LEVEL. The command line wins.
            """
    )

    @Option(help: "Where to listen; port 0 picks a free one. Default 127.0.0.1:8080.")
    var listen: String?

    @Option(help: "The folder that holds the data; made when missing. Default ./brasa-data.")
    var dataDir: String?

    @Option(
        help: """
            When a commit is acknowledged: fsync (on stable storage), os (handed to the system), memory (no log at \
            all). Default fsync.
            """
    )
    var durability: String?

    @Option(help: "Shards of the store, 1 to 256. Default 4.")
    var shards: String?

    @Option(help: "Event loop threads, 1 to 256. Default: one per core.")
    var threads: String?

    @Option(help: "How far back reads at a read_time may reach, such as 90s, 30m or 1h. Default 1h.")
    var history: String?

    @Option(
        help: """
            How much memory indexes may take, such as 512M or 2G; past it those unused for longest go. Default 1G.
            """
    )
    var indexMemory: String?

    @Option(help: "Drop an index when no query used it for this long, such as 90m or 7d. Default 24h.")
    var indexIdle: String?

    @Option(
        help: """
            How much memory connections may take for requests and responses, such as 256M or 2G; past it calls get \
            RESOURCE_EXHAUSTED and streams wait. Default 512M.
            """
    )
    var connectionMemory: String?

    @Option(help: "Connections at a time; more are closed at once. Default 10000, or what the system allows.")
    var connections: String?

    @Option(help: "Connections at a time from one address. Default 1024.")
    var connectionsPerAddress: String?

    @Option(help: "How long a client may take to send a request, such as 30s or 5m. Default 60s.")
    var receiveTime: String?

    @Flag(help: "Open the emulator's endpoints, which can clear a whole database.")
    var emulator = false

    @Flag(help: "Allow listening beyond loopback although nothing checks who calls.")
    var insecure = false

    @Option(help: "trace, debug, info, notice, warning, error or critical. Default info.")
    var logLevel: String?

    func run() async throws {
        do {
            let configuration = try self.serverConfiguration(environment: ProcessInfo.processInfo.environment)
            try await BrasaServer.run(configuration) { address in
                print("listening on \(address)")
                fflush(nil)
            }
        } catch {
            FileHandle.standardError.write(Data("brasa: \(error)\n".utf8))
            throw ExitCode(1)
        }
    }

    /// Throws `StartError` naming the option, where it came from and what it takes.
    func serverConfiguration(environment: [String: String]) throws -> ServerConfiguration {
        let settings = SettingsReader(environment: environment)
        return ServerConfiguration(
            listen: try settings.read(
                "listen",
                self.listen,
                default: ListenAddress(host: "127.0.0.1", port: 8080),
                takes: "HOST:PORT",
                parse: ListenAddress.init(parsing:)
            ),
            dataDirectory: try settings.read(
                "data-dir",
                self.dataDir,
                default: "./brasa-data",
                takes: "a folder",
                parse: { $0.isEmpty ? nil : $0 }
            ),
            durability: try settings.read(
                "durability",
                self.durability,
                default: .fsync,
                takes: "fsync, os or memory",
                parse: Durability.init(rawValue:)
            ),
            shards: try settings.read(
                "shards",
                self.shards,
                default: 4,
                takes: "a number from 1 to 256",
                parse: { Int($0).flatMap { (1...256).contains($0) ? $0 : nil } }
            ),
            threads: try settings.read(
                "threads",
                self.threads,
                default: ProcessInfo.processInfo.activeProcessorCount,
                takes: "a number from 1 to 256",
                parse: { Int($0).flatMap { (1...256).contains($0) ? $0 : nil } }
            ),
            history: try settings.read(
                "history",
                self.history,
                default: .seconds(3600),
                takes: "a duration such as 90s, 30m or 1h",
                parse: DurationText.parse
            ),
            indexBytesMax: try settings.read(
                "index-memory",
                self.indexMemory,
                default: 1 << 30,
                takes: "a number of bytes such as 512M or 2G",
                parse: ByteCountText.parse
            ),
            indexIdle: try settings.read(
                "index-idle",
                self.indexIdle,
                default: .seconds(24 * 3_600),
                takes: "a duration such as 90m, 24h or 7d",
                parse: DurationText.parse
            ),
            emulator: try settings.read(flag: "emulator", self.emulator),
            insecure: try settings.read(flag: "insecure", self.insecure),
            logLevel: try settings.read(
                "log-level",
                self.logLevel,
                default: .info,
                takes: "trace, debug, info, notice, warning, error or critical",
                parse: Logger.Level.init(rawValue:)
            ),
            connectionBytesMax: try settings.read(
                "connection-memory",
                self.connectionMemory,
                default: 512 << 20,
                takes: "a number of bytes from 16M, such as 256M or 2G",
                parse: ServerConfiguration.connectionBytes(parsing:)
            ),
            connectionsMax: try settings.read(
                "connections",
                self.connections,
                default: nil,
                takes: "a number from 1",
                parse: { Int($0).flatMap { $0 > 0 ? .some($0) : nil } }
            ),
            connectionsPerAddressMax: try settings.read(
                "connections-per-address",
                self.connectionsPerAddress,
                default: 1024,
                takes: "a number from 1",
                parse: { Int($0).flatMap { $0 > 0 ? $0 : nil } }
            ),
            receiveTimeMax: try settings.read(
                "receive-time",
                self.receiveTime,
                default: .seconds(60),
                takes: "a duration such as 30s or 5m",
                parse: { DurationText.parse($0).flatMap { $0 > .zero ? $0 : nil } }
            )
        )
    }
}
