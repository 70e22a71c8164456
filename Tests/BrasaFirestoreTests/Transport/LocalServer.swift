import BrasaHTTP2
import BrasaLog
import BrasaOptions
import Logging
import NIOCore
import NIOPosix

@testable import BrasaServer

/// A whole server in this process, as `brasa serve` has it; without a folder it keeps nothing.
final class LocalServer: Sendable {
    private let engine: Engine
    private let listener: Listener
    private let identity: IdentityWork
    private let group: MultiThreadedEventLoopGroup

    /// - Parameter rulesFile: users are judged by it, and named by the emulator's tokens.
    init(port: Int = 0, folder: String? = nil, rulesFile: String? = nil) async throws {
        var configuration = ServerConfiguration()
        configuration.listen.port = port
        configuration.dataDirectory = folder ?? "unused"
        configuration.durability = folder == nil ? .memory : .os
        configuration.threads = 1
        configuration.logLevel = .critical
        configuration.grace = .seconds(5)
        configuration.rulesFile = rulesFile
        configuration.emulator = rulesFile != nil
        let address = try Listener.resolve(configuration)
        self.group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let rules = try ServerRules.start(configuration, on: address, logger: logger)
        self.engine = try Engine(
            configuration,
            treeRules: rules.trees,
            logger: logger,
            onFailure: { _ in }
        )
        self.identity = try await IdentityWork.start(
            configuration,
            on: address,
            rules: rules.book,
            treeRules: rules.trees,
            logger: logger
        )
        self.listener = try await Listener.bind(
            address,
            configuration,
            connectionsMax: 1_000,
            group: self.group,
            services: try await ServiceDirectory(
                configuration,
                group: self.group,
                engine: self.engine,
                desk: self.identity.desk,
                rules: rules.book,
                logger: logger
            )
        )
    }

    var port: Int { self.listener.address.port }

    /// Looks at the list of administrators' keys, as a server does by itself every two seconds.
    func reloadKeys() async { await self.identity.reload() }

    func stop() async throws {
        await self.listener.drain(grace: .zero)
        await self.identity.stop()
        self.engine.stop()
        try await self.group.shutdownGracefully()
    }
}
