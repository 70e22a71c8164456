import BrasaDocuments
import BrasaQueries

@testable import BrasaSync

/// Runs one case: the user, the server, the timers and the storage's failures are faked, all else is the engine.
final class SpecRunner {
    let specification: SpecCase
    private let cache: any SpecCache
    let scheduler = FakeScheduler()
    private(set) var transport: FakeTransport
    private(set) var storage: FailingStorage
    private(set) var client: SyncClient

    var user = SyncUser.signedOut
    /// Writes that the server has not answered, oldest first.
    var writes: [Write] = []
    var listeners: [SyncQuery: ListenerToken] = [:]
    var syncListeners: [ListenerToken] = []
    var isNetworkEnabled = true
    /// The watch stream shall stay in back-off.
    var holdsBackoff = false
    /// Ids on the wire in the order of listening, by the ids that the cases use.
    var wireIDs: [TargetID: [WireTargetID]] = [:]
    var targetIDs: [WireTargetID: TargetID] = [:]

    // What happened in the step.
    var events: [(query: SyncQuery, event: Result<ViewSnapshot, SyncError>)] = []
    var acknowledged: [String] = []
    var rejected: [String] = []
    var syncEvents = 0
    var pendingWritesEvents = 0

    /// What is expected until something else is.
    var expectedTargets: [String: JSON] = [:]
    var expectedActiveLimbo: [String] = []
    var expectedWaitingLimbo: [String] = []

    init(_ specification: SpecCase, _ mode: SpecMode) throws {
        self.specification = specification
        self.cache = try mode.makeCache(specification)
        self.transport = FakeTransport(self.scheduler)
        self.storage = FailingStorage(try self.cache.open())
        self.client = try Self.client(specification, self.storage, self.scheduler, self.transport, .signedOut)
        self.watchTransport()
        self.settle()
    }

    private static func client(
        _ specification: SpecCase,
        _ storage: FailingStorage,
        _ scheduler: FakeScheduler,
        _ transport: FakeTransport,
        _ user: SyncUser
    ) throws -> SyncClient {
        var configuration = SyncConfiguration(
            limboResolutionsMax: specification.limboResolutionsMax ?? .max,
            cacheBytesMax: nil
        )
        // As the portable cases have it.
        configuration.pipelineCountMax = 10
        return SyncClient(
            database: try SpecModel.database(),
            configuration: configuration,
            storage: storage,
            scheduler: scheduler,
            transport: transport,
            user: user
        )
    }

    func restart() throws {
        self.client.engine.remote.shutDown()
        self.settle()
        self.transport = FakeTransport(self.scheduler)
        self.storage = FailingStorage(try self.cache.open())
        self.client = try Self.client(
            self.specification,
            self.storage,
            self.scheduler,
            self.transport,
            self.user
        )
        self.listeners = [:]
        self.syncListeners = []
        self.wireIDs = [:]
        self.targetIDs = [:]
        self.isNetworkEnabled = true
        self.watchTransport()
    }

    func run() throws {
        for (index, step) in self.specification.steps.enumerated() {
            do {
                try self.perform(step)
                self.settle()
                try self.check(step)
            } catch {
                throw SpecFailure("step \(index): \(error)\n    \(step.summary)")
            }
        }
    }

    /// Lets everything run that needs neither the server nor a timer, back-off aside.
    func settle() {
        repeat { self.scheduler.drain() } while self.fireBackoff()
    }

    private func fireBackoff() -> Bool {
        if self.scheduler.fire(.writeStreamBackoff) { return true }
        return !self.holdsBackoff && self.scheduler.fire(.watchStreamBackoff)
    }

    private func watchTransport() {
        self.transport.watchOpened = { [unowned self] in
            self.holdsBackoff = false
            let remote = self.client.engine.remote
            for id in self.wireIDs.keys { self.wireIDs[id] = remote.wireTargets.wireID(of: id).map { [$0] } }
        }
        self.transport.watchSent = { [unowned self] request in
            guard case .add(let target) = request else { return }
            guard let id = self.client.engine.remote.wireTargets.targets(of: [target.id]).first else { return }
            self.targetIDs[target.id] = id
            if self.wireIDs[id]?.contains(target.id) != true { self.wireIDs[id, default: []].append(target.id) }
        }
    }

    /// The id on the wire that the server means: it has not seen newer ones.
    func wireID(_ id: TargetID) -> WireTargetID {
        self.wireIDs[id]?.first ?? 1_000_000 + WireTargetID(clamping: id)
    }
}

extension JSON {
    /// The step without what is expected of it.
    fileprivate var summary: String {
        self.object.filter { !$0.key.hasPrefix("expected") }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    }
}
