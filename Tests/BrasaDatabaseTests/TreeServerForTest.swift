import BrasaApp
import BrasaLog
import BrasaOptions
import BrasaTree
import Dispatch
import Foundation
import Logging
import NIOCore
import NIOPosix

@testable import BrasaDatabase
@testable import BrasaServer

/// A whole server in this process, as `brasa serve` has it; without a folder it keeps nothing.
final class TreeServerForTest: Sendable {
    private let engine: Engine
    private let listener: Listener
    private let identity: IdentityWork
    private let group: MultiThreadedEventLoopGroup

    init(
        port: Int = 0,
        folder: String? = nil,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws {
        var configuration = ServerConfiguration()
        configuration.listen.port = port
        configuration.dataDirectory = folder ?? "unused"
        configuration.durability = folder == nil ? .memory : .os
        configuration.threads = 1
        configuration.logLevel = .critical
        configuration.grace = .seconds(5)
        change(&configuration)
        let address = try Listener.resolve(configuration)
        self.group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let rules = try ServerRules.start(configuration, on: address, logger: logger)
        self.engine = try Engine(configuration, treeRules: rules.trees, logger: logger, onFailure: { _ in })
        self.identity = try await IdentityWork.start(
            configuration,
            on: address,
            rules: rules.book,
            treeRules: rules.trees,
            logger: logger
        )
        let services = try await ServiceDirectory(
            configuration,
            group: self.group,
            engine: self.engine,
            desk: self.identity.desk,
            rules: rules.book,
            logger: logger
        )
        let handshakes = HandshakePlaces(connectionsMax: 1_000, connectionsPerAddressMax: 1_000)
        self.listener = try await Listener.bind(
            address,
            configuration,
            connectionsMax: 1_000,
            group: self.group,
            services: services,
            tls: try BrasaServer.tls(configuration).map {
                TLSDoor($0, handshakes: handshakes, refusals: services.refusals)
            }
        )
    }

    var port: Int { self.listener.address.port }

    /// As on SIGHUP.
    func reloadKeys() async { await self.identity.reload() }

    /// How many have shown who they are.
    var callersSeen: Int { self.identity.desk.shares.count }

    func stop() async throws {
        await self.listener.drain(grace: .zero)
        await self.identity.stop()
        self.engine.stop()
        try await self.group.shutdownGracefully()
    }

    /// A client of its own, as every process has one.
    func database() throws -> Database { try Databases.emulated(port: self.port) }
}

/// Runs a test with a server and a client of it.
func withServer(_ body: (TreeServerForTest, Database) async throws -> Void) async throws {
    let server = try await TreeServerForTest()
    let database = try server.database()
    try await body(server, database)
    database.goOffline()
    try await server.stop()
}

enum Databases {
    /// As a program has it that knows no more than the address.
    static func at(_ url: String) -> Database {
        let options = FirebaseOptions()
        let address = Result { () throws(DatabaseFault) in
            try DatabaseAddress(options, url: url, environment: [:])
        }
        let database = Database(app: .unconfigured(projectID: nil), address: address)
        database.callbackQueue = DispatchQueue(label: "handlers")
        return database
    }

    static func emulated(port: Int, name: String = "demo") throws -> Database {
        let database = self.at("http://127.0.0.1:\(port)?ns=\(name)")
        database.useEmulator(withHost: "127.0.0.1", port: port)
        return database
    }

    /// Nobody answers there.
    static func offline() throws -> Database {
        let database = try self.emulated(port: 1)
        database.goOffline()
        return database
    }
}

/// Lines that handlers say, to be waited for.
final class Lines: Sendable {
    private let stream: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() {
        (self.stream, self.continuation) = AsyncStream.makeStream(
            of: String.self,
            bufferingPolicy: .bufferingNewest(10_000)
        )
    }

    func say(_ line: String) { self.continuation.yield(line) }

    func next(_ count: Int = 1) async -> [String] {
        var lines: [String] = []
        var iterator = self.stream.makeAsyncIterator()
        while lines.count < count, let line = await iterator.next() { lines.append(line) }
        return lines
    }

    /// Until one comes.
    func wait(for line: String) async {
        var iterator = self.stream.makeAsyncIterator()
        while let next = await iterator.next(), next != line {}
    }
}

extension DataSnapshot {
    /// As JSON, in export form.
    var json: String { String(decoding: self.node.text(.export), as: UTF8.self) }
}

extension DatabaseQuery {
    /// Says each value, and how it ends.
    func say(to lines: Lines) -> DatabaseHandle {
        self.observe(.value, with: { lines.say($0.json) }) { lines.say("error \(($0 as NSError).code)") }
    }
}
