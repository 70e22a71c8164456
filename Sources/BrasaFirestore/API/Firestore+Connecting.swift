internal import BrasaDocuments
internal import BrasaSync
internal import Dispatch
internal import NIOCore
internal import NIOPosix

extension Firestore {
    /// A database of its own, which shares nothing with others, for programs that use several projects or servers.
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
    }

    /// An engine that talks to the server at the settings' address, or at the emulator's. Engine and connections share
    /// one event loop, unless the engine waits for a disk.
    static let connected: MakeCore = { options throws(UsageError) in
        let (place, settings) = (options.place, options.settings)
        guard let server = ServerAddress(place.host, defaultPort: place.isEncrypted ? 443 : 80) else {
            throw UsageError("Invalid host '\(place.host)'.")
        }
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let security = place.isEncrypted ? ChannelSecurity.tls(settings.tls) : .plaintext
        let channel = try Firestore.channel(ChannelConfiguration(server: server, security: security), eventLoop)
        let caller = Caller(
            channel: channel,
            database: options.database,
            credentials: Firestore.credentials(settings, isEncrypted: place.isEncrypted, eventLoop)
        )
        Log.debug("\(options.database.string) is at \(place.host)")
        return ClientCore(
            queue: settings.dispatchQueue ?? .main,
            host: ConnectedHost(caller, settings.cache.kind, app: options.app),
            calls: ServerCalls(Datastore(caller))
        )
    }

    private static func channel(
        _ configuration: ChannelConfiguration,
        _ eventLoop: any EventLoop
    ) throws(UsageError) -> CallChannel {
        do {
            return try CallChannel(configuration, eventLoop: eventLoop)
        } catch {
            throw UsageError(error.description)
        }
    }

    /// Servers nearby, which are not encrypted, know the token of an administrator by heart.
    private static func credentials(
        _ settings: FirestoreSettings.Values,
        isEncrypted: Bool,
        _ eventLoop: any EventLoop
    ) -> Credentials {
        if let source = settings.tokens { return Credentials(source.provider, eventLoop: eventLoop) }
        return isEncrypted
            ? Credentials(nil, eventLoop: eventLoop) : Credentials(fixed: "owner", eventLoop: eventLoop)
    }
}

/// The engine of a database on the network.
private struct ConnectedHost: EngineHost {
    private let caller: Caller
    private let host: SyncHost

    init(_ caller: Caller, _ cache: CacheKind, app: String) {
        self.caller = caller
        let database = caller.database
        self.host = SyncHost(
            caller: caller,
            executor: cache.isPersistent ? SyncExecutor() : SyncExecutor(caller.eventLoop),
            configuration: SyncConfiguration(cacheBytesMax: cache.bytesMax),
            makeStorage: { () throws(SyncError) in try cache.makeStorage(app: app, database: database) }
        )
    }

    func run(_ work: @escaping @Sendable (SyncClient) -> Void) {
        self.host.run(work)
    }

    func close() async {
        await self.caller.channel.close()
        let credentials = self.caller.credentials
        self.caller.eventLoop.execute { credentials.close() }
    }
}
