import BrasaFetch
import BrasaIdentity
import BrasaPlatform
import BrasaService
import BrasaTokens
import BrasaTreeJudging
import Logging
import NIOConcurrencyHelpers
import NIOCore

/// What a desk stands on, and what it does in the background.
struct IdentityWork: Sendable {
    private static let reloadInterval: Duration = .seconds(2)

    let desk: TokenDesk
    private let issuers: IssuerKeys
    private let fetcher: LateFetcher
    private let logger: Logger

    /// Reads the keys and issuers that a server starts with.
    /// - Throws: `StartError` when they cannot be read: a server that forgot who may call would let in nobody, or everybody.
    static func start(
        _ configuration: ServerConfiguration,
        on address: SocketAddress,
        rules: RuleBook = RuleBook(),
        treeRules: TreeRuleBook = TreeRuleBook(),
        logger: Logger
    ) async throws -> IdentityWork {
        let list = try configuration.issuers()
        let fetcher = LateFetcher()
        let issuers = IssuerKeys(list, fetcher: fetcher, disk: RealDisk(), clock: .system) { issuer, reason in
            logger.error("an issuer's keys", metadata: ["issuer": "\(issuer)", "error": "\(reason)"])
        }
        let isEmulator = configuration.emulator && address.isLoopback
        let verifier = TokenVerifier(
            store: AdministratorKeyStore(disk: RealDisk(), dataDirectory: configuration.dataDirectory),
            issuers: issuers,
            isEmulator: isEmulator
        )
        if case .failed(let error) = await verifier.reload() {
            throw StartError("cannot read the administrators' keys: \(error)")
        }
        let policy = OpenPolicy(
            isLocal: address.isLoopback,
            isInsecure: configuration.insecure,
            namesCallers: !list.isEmpty || configuration.tlsClientAuthorities != nil
        )
        if !rules.isInUse, !treeRules.isInUse, let notice = policy.notice(hasKeys: verifier.hasKeyList) {
            logger.log(level: notice.isWarning ? .warning : .notice, "\(notice.text)")
        }
        let desk = TokenDesk(
            verifier,
            policy: policy,
            isEmulator: isEmulator,
            rules: rules,
            treeRules: treeRules,
            shares: CallerShares(CallerBounds(configuration.callerBounds)),
            refusals: RefusalLog(logger)
        )
        rules.openOthers { [weak desk] in desk?.isOpenToTools ?? false }
        treeRules.openOthers { [weak desk] in desk?.isOpenToTools ?? false }
        return IdentityWork(desk: desk, issuers: issuers, fetcher: fetcher, logger: logger)
    }

    private init(desk: TokenDesk, issuers: IssuerKeys, fetcher: LateFetcher, logger: Logger) {
        self.desk = desk
        self.issuers = issuers
        self.fetcher = fetcher
        self.logger = logger
    }

    /// Fetches issuers' keys and looks at the list of administrators' keys, until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.issuers.run() }
            group.addTask {
                while (try? await Task.sleep(for: Self.reloadInterval)) != nil { await self.reload() }
            }
        }
    }

    func reload() async {
        switch await self.desk.verifier.reload() {
        case .unchanged: break
        case .changed(let count):
            self.logger.notice("administrators' keys have changed", metadata: ["keys": "\(count)"])
        case .failed(let error):
            self.logger.error(
                "administrators' keys cannot be read, so those of before go on",
                metadata: ["error": "\(error)"]
            )
        }
    }

    /// Other bounds, and other issuers if they are. What cannot be read changes nothing.
    func takeUp(_ configuration: ServerConfiguration) {
        self.desk.shares.bounds.set(configuration.callerBounds)
        let list: TokenIssuers
        do throws(StartError) {
            list = try configuration.issuers()
        } catch {
            self.logger.error("the issuers of before are believed on", metadata: ["error": "\(error)"])
            return
        }
        guard self.issuers.replace(list) else { return }
        if !list.isEmpty { self.desk.close() }
        self.logger.notice("issuers have changed", metadata: ["issuers": "\(list.count)"])
    }

    /// When no connection is left.
    func stop() async {
        self.desk.stop()
        try? await self.fetcher.shutdown()
    }
}

/// Made with the first document that is fetched: most servers fetch none.
private final class LateFetcher: DocumentFetcher {
    private let fetcher = NIOLockedValueBox<HTTPSFetcher?>(nil)

    func fetch(_ url: String, bytesMax: Int) async throws(FetchError) -> [UInt8] {
        let fetcher = self.fetcher.withLockedValue { made in
            let fetcher = made ?? HTTPSFetcher()
            made = fetcher
            return fetcher
        }
        return try await fetcher.fetch(url, bytesMax: bytesMax)
    }

    /// When nothing is fetched any more.
    func shutdown() async throws { try await self.fetcher.withLockedValue { $0 }?.shutdown() }
}

extension ServerConfiguration {
    /// - Throws: `StartError` with what is wrong with the file of `--issuers`.
    func issuers() throws(StartError) -> TokenIssuers {
        do throws(TokenIssuersError) {
            var issuers: [TokenIssuer] = []
            if let path = self.issuersFile { issuers = try TokenIssuers.read(path, disk: RealDisk()) }
            if let project = self.firebaseProject { issuers.append(.firebase(project: project)) }
            return try TokenIssuers(issuers)
        } catch {
            throw StartError("--issuers: \(error)")
        }
    }
}
