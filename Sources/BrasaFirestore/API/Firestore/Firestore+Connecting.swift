internal import BrasaApp
internal import BrasaClientNetwork
internal import BrasaCredentials
internal import BrasaDocuments
internal import BrasaSync
internal import Dispatch
internal import Foundation
internal import NIOCore
internal import Synchronization

extension Firestore {
    /// A database of its own, which shares nothing with others, for programs that use several projects or servers. Settings
    /// that name a host go before the environment's `FIRESTORE_EMULATOR_HOST`.
    ///
    /// Its connections close when the object is gone, no listener is left and every write is answered, or with `terminate`.
    public convenience init(
        projectID: String,
        databaseID: String = "(default)",
        settings: FirestoreSettings = FirestoreSettings()
    ) {
        self.init(
            app: .unconfigured(projectID: projectID),
            databaseID: databaseID,
            values: settings.values,
            makeCore: Self.connected
        )
        self.state.withLock { $0.prefersSettings = true }
    }

    /// An engine that talks to the server at the settings' address, or at the emulator's. Engine and connections have a
    /// thread of their own, which no other part of the program waits for; an engine that waits for a disk has another.
    static let connected: MakeCore = { options throws(UsageError) in
        let (place, settings) = (options.place, options.settings)
        guard
            let server = ServerAddress(
                place.host,
                defaultPort: ServerAddress.defaultPort(isEncrypted: place.isEncrypted)
            )
        else {
            throw UsageError("Invalid host '\(place.host)'.")
        }
        let thread = EventLoopThread()
        let security = place.isEncrypted ? ChannelSecurity.tls(settings.tls) : .plaintext
        let channel = try Firestore.channel(ChannelConfiguration(server: server, security: security), thread)
        let caller = Caller(
            channel: channel,
            database: options.database,
            credentials: Firestore.credentials(settings, place, thread),
            observer: settings.observer?.observer,
            tracer: settings.tracer?.tracer
        )
        Firestore.log.debug("\(options.database.string) is at \(place.host)")
        return ClientCore(
            queue: settings.dispatchQueue ?? .main,
            host: ConnectedHost(caller, settings.cache.kind, app: options.app, thread),
            calls: ServerCalls(Datastore(caller)),
            tracer: settings.tracer?.tracer
        )
    }

    private static func channel(
        _ configuration: ChannelConfiguration,
        _ thread: EventLoopThread
    ) throws(UsageError) -> CallChannel {
        do {
            return try CallChannel(configuration, eventLoop: thread.eventLoop, keeping: thread)
        } catch {
            throw UsageError(error.description, cause: error.cause)
        }
    }

    static func credentials(
        _ settings: FirestoreSettings.Values,
        _ place: ServerPlace,
        _ thread: EventLoopThread
    ) -> Credentials {
        let eventLoop = thread.eventLoop
        return switch TokenChoice(settings, place) {
        case .provider(let provider): Credentials(provider, eventLoop: eventLoop, keeping: thread)
        case .keyFile(let file): Credentials({ _ in try file.token() }, eventLoop: eventLoop, keeping: thread)
        case .fixed(let text): Credentials(fixed: text, eventLoop: eventLoop)
        }
    }
}

extension TokenChoice {
    init(_ settings: FirestoreSettings.Values, _ place: ServerPlace) {
        self.init(
            provider: settings.tokens?.provider,
            keyFile: settings.keyFile,
            server: Server(
                isEncrypted: place.isEncrypted,
                isEmulator: place.isEmulator,
                isOnLoopback: ServerAddress(place.host, defaultPort: 80)?.isOnLoopback ?? false
            ),
            environment: ProcessInfo.processInfo.environment
        )
    }
}

/// The engine of a database on the network, until nobody has use for it: its `Firestore` is gone, no call or listener is
/// left, and every write is answered.
private final class ConnectedHost: EngineHost {
    private let caller: Caller
    private let host: SyncHost

    init(_ caller: Caller, _ cache: CacheKind, app: String, _ thread: EventLoopThread) {
        self.caller = caller
        let database = caller.database
        self.host = SyncHost(
            caller: caller,
            executor: SyncExecutor(cache.isPersistent ? EventLoopThread() : thread),
            configuration: SyncConfiguration(cacheBytesMax: cache.bytesMax),
            makeStorage: { () throws(SyncError) in try cache.makeStorage(app: app, database: database) }
        )
    }

    deinit {
        let (host, caller) = (self.host, self.caller)
        Task {
            await host.end()
            await Self.close(caller)
        }
    }

    func run(_ work: @escaping @Sendable (SyncClient) -> Void) {
        self.host.run(work)
    }

    func close() async {
        await Self.close(self.caller)
    }

    private static func close(_ caller: Caller) async {
        await caller.channel.close()
        let credentials = caller.credentials
        caller.eventLoop.execute { credentials.close() }
    }
}
