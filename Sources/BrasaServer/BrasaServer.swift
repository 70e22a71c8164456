import BrasaLog
package import BrasaOptions
import BrasaPlatform
import BrasaService
import BrasaStore
import BrasaTLS
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// The whole process: opens the data folder, listens, and on SIGTERM or SIGINT finishes what is in flight and closes the
/// folder.
package enum BrasaServer {
    /// Runs until a signal ends it.
    ///
    /// - Parameters:
    ///   - reader: asked again at SIGHUP.
    ///   - ready: called once with the address, when calls are answered.
    /// - Throws: `StartError` when the server cannot start, or had to stop because the log failed.
    package static func run(
        _ settings: SaidSettings,
        from reader: SettingsReader,
        ready: @escaping @Sendable (ListenAddress) -> Void
    ) async throws {
        let configuration = settings.configuration
        let format = configuration.logFormat
        let level = LogLevel(configuration.logLevel)
        let logger = Logger(label: "brasa", factory: { _ in ServerLogHandler(format, level: level) })
        settings.warnings.forEach { logger.warning("\($0)") }
        // Before anything is touched on disk.
        let address = try Listener.resolve(configuration)
        try configuration.checkMemory()
        let tls = try Self.tls(configuration)
        let rules = try ServerRules.start(configuration, on: address, logger: logger)
        // Before data is read, which takes its time: until then the signal ends the process.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let descriptorsMax = FileDescriptorLimit.raise()
        let connectionsMax = Self.connectionsMax(configuration, allowed: descriptorsMax, logger: logger)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.threads)
        // A signal ends the wait with nil, a log that failed with its error.
        let (endings, end) = AsyncStream.makeStream(of: LogError?.self, bufferingPolicy: .bufferingOldest(1))
        let observation = Observation()
        do {
            let observationListener = try await Self.listenForObservers(configuration, observation, group, logger)
            let engine = try Engine(configuration, treeRules: rules.trees, logger: logger) { error in
                observation.become(.failed)
                end.yield(error)
            }
            let service = ListeningService(
                address: address,
                tls: tls,
                rules: rules,
                configuration: configuration,
                live: LiveSettings(configuration, from: reader),
                level: level,
                engine: engine,
                observation: observation,
                connectionsMax: connectionsMax,
                descriptorsMax: descriptorsMax,
                group: group,
                logger: logger,
                hangups: hangups,
                endings: endings,
                end: end,
                ready: ready
            )
            var lifecycle = ServiceGroupConfiguration(services: [service], logger: logger)
            lifecycle.gracefulShutdownSignals = [.sigterm, .sigint]
            defer { engine.stop() }
            try await ServiceGroup(configuration: lifecycle).run()
            await observationListener?.close()
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private static func listenForObservers(
        _ configuration: ServerConfiguration,
        _ observation: Observation,
        _ group: MultiThreadedEventLoopGroup,
        _ logger: Logger
    ) async throws -> ObservationListener? {
        guard let address = configuration.metricsListen else { return nil }
        let listener = try await ObservationListener.bind(address, observation, group: group)
        logger.info("serving metrics and probes", metadata: ["address": "\(listener.address)"])
        return listener
    }

    /// - Throws: `StartError` with what is wrong with which file.
    static func tls(_ configuration: ServerConfiguration) throws(StartError) -> ServerTLS? {
        guard let files = try configuration.tlsFiles() else { return nil }
        do throws(TLSFileError) {
            return try ServerTLS(files, disk: RealDisk())
        } catch {
            throw StartError("cannot serve TLS: \(error)")
        }
    }

    /// - Parameter allowed: by the system.
    static func connectionsMax(_ configuration: ServerConfiguration, allowed: Int, logger: Logger) -> Int {
        let count = FileDescriptorLimit.connectionsMax(asked: configuration.connectionsMax, allowed: allowed)
        if let asked = configuration.connectionsMax, asked > count {
            logger.warning(
                "--connections is more than the system's limit of file descriptors allows",
                metadata: ["asked": "\(asked)", "allowed": "\(count)"]
            )
        }
        return count
    }
}

/// Listens for as long as the process is wanted.
private struct ListeningService: Service {
    let address: SocketAddress
    let tls: ServerTLS?
    let rules: ServerRules
    let configuration: ServerConfiguration
    let live: LiveSettings
    let level: LogLevel
    let engine: Engine
    let observation: Observation
    let connectionsMax: Int
    let descriptorsMax: Int
    let group: MultiThreadedEventLoopGroup
    let logger: Logger
    let hangups: UnixSignalsSequence
    let endings: AsyncStream<LogError?>
    let end: AsyncStream<LogError?>.Continuation
    let ready: @Sendable (ListenAddress) -> Void

    func run() async throws {
        let identity = try await IdentityWork.start(
            self.configuration,
            on: self.address,
            rules: self.rules.book,
            treeRules: self.rules.trees,
            logger: self.logger
        )
        do {
            try await self.run(identity)
        } catch {
            await identity.stop()
            throw error
        }
        await identity.stop()
    }

    private func run(_ identity: IdentityWork) async throws {
        let services = try await ServiceDirectory(
            self.configuration,
            group: self.group,
            engine: self.engine,
            observation: self.observation,
            desk: identity.desk,
            rules: self.rules.book,
            logger: self.logger
        )
        await self.engine.endTreeSessionsOfBefore(self.logger)
        guard !Task.isShuttingDownGracefully else { return }
        let tls = self.tls.map { tls in
            TLSDoor(
                tls,
                handshakes: HandshakePlaces(
                    connectionsMax: self.connectionsMax,
                    connectionsPerAddressMax: self.configuration.connectionsPerAddressMax
                ),
                refusals: services.refusals
            )
        }
        let listener = try await Listener.bind(
            self.address,
            self.configuration,
            connectionsMax: self.connectionsMax,
            group: self.group,
            services: services,
            tls: tls
        )
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await identity.run() }
            group.addTask { await self.rules.run(self.logger) }
            if let tls { group.addTask { await tls.renew(self.logger) } }
            group.addTask { await self.answerHangups(listener, tls, identity, services) }
            defer { group.cancelAll() }
            try await self.serve(listener, services)
        }
    }

    /// SIGHUP: what stands in files is read again now.
    private func answerHangups(
        _ listener: Listener,
        _ tls: TLSDoor?,
        _ identity: IdentityWork,
        _ services: ServiceDirectory
    ) async {
        for await _ in self.hangups {
            self.logger.notice("reading settings, certificates, keys, issuers and rules again")
            let configuration = self.live.reread(self.logger)
            self.takeUp(configuration, listener, tls)
            services.takeUp(configuration)
            identity.takeUp(configuration)
            tls?.reload(self.logger)
            self.rules.reload(self.logger)
            await identity.reload()
        }
    }

    private func takeUp(_ configuration: ServerConfiguration, _ listener: Listener, _ tls: TLSDoor?) {
        self.level.value = configuration.logLevel
        self.engine.store.setMemoryBytesMax(configuration.memoryBytesMax)
        let count = BrasaServer.connectionsMax(configuration, allowed: self.descriptorsMax, logger: self.logger)
        let perAddress = configuration.connectionsPerAddressMax
        listener.setBounds(connectionsMax: count, connectionsPerAddressMax: perAddress)
        tls?.setBounds(connectionsMax: count, connectionsPerAddressMax: perAddress)
    }

    /// Until the process is wanted no more, and what is in flight has ended.
    private func serve(_ listener: Listener, _ services: ServiceDirectory) async throws {
        self.observation.become(.ready)
        self.ready(listener.address)
        let statistics = self.engine.store.statistics
        self.logger.info(
            "serving",
            metadata: [
                "address": "\(listener.address)", "documents": "\(statistics.documents)",
                "databases": "\(statistics.databases)",
            ]
        )
        let failure = await withGracefulShutdownHandler {
            await self.endings.first { _ in true }.flatMap { $0 }
        } onGracefulShutdown: {
            self.end.yield(nil)
        }
        services.announceShutdown()
        self.logger.info("draining", metadata: ["grace": "\(self.configuration.grace)"])
        await listener.drain(grace: self.configuration.grace)
        self.logger.info("drained")
        // Only a restart, which recovers what is really on disk, can trust the log again.
        if let failure { throw StartError("the log failed, so the server has to start again: \(failure)") }
    }
}
