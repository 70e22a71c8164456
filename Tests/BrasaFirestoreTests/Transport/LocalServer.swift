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

    init(port: Int = 0, folder: String? = nil) async throws {
        var configuration = ServerConfiguration()
        configuration.listen.port = port
        configuration.dataDirectory = folder ?? "unused"
        configuration.durability = folder == nil ? .memory : .os
        configuration.threads = 1
        configuration.logLevel = .critical
        configuration.grace = .seconds(5)
        let address = try Listener.resolve(configuration)
        self.group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        self.engine = try Engine(
            configuration,
            logger: logger,
            onFailure: { _ in }
        )
        self.identity = try await IdentityWork.start(configuration, on: address, logger: logger)
        self.listener = try await Listener.bind(
            address,
            configuration,
            connectionsMax: 1_000,
            group: self.group,
            services: try ServiceDirectory(
                configuration,
                group: self.group,
                engine: self.engine,
                desk: self.identity.desk,
                logger: logger
            )
        )
    }

    var port: Int { self.listener.address.port }

    func stop() async throws {
        await self.listener.drain(grace: .zero)
        await self.identity.stop()
        self.engine.stop()
        try await self.group.shutdownGracefully()
    }
}
