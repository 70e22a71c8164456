import BrasaIdentity
package import BrasaPlatform
import Crypto
import Synchronization

/// The keys of all issuers, fetched as they are needed.
///
/// `run` fetches; nothing else waits for the network. What is looked up and not there yet says so, and whoever asked is
/// called when the fetch has ended, however it ended.
package final class IssuerKeys: Sendable {
    /// Calls that wait for one issuer's keys at a time; more are refused. Of each issuer, so that one that is slow holds up
    /// no other's users.
    package static let waitingMax = 256
    static let discoveryBytesMax = 64 << 10

    enum Lookup: Sendable {
        case key(VerificationKey)
        /// The issuer has no such key.
        case unknown
        /// A fetch is under way that may bring it.
        case fetching
        /// There are no keys that could be used.
        case unavailable
    }

    private struct Entry {
        let issuer: TokenIssuer
        var schedule = KeySetSchedule()
        var keys: [String: VerificationKey] = [:]
        var digest: SHA256.Digest?
        var waiting: [@Sendable () -> Void] = []
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var isStopped = false
    }

    private let state: Mutex<State>
    private let changes = Atomic<UInt64>(0)
    private let requests: (stream: AsyncStream<String>, continuation: AsyncStream<String>.Continuation)
    private let fetcher: (any DocumentFetcher)?
    private let disk: any Disk
    private let clock: Clock
    private let onFailure: @Sendable (_ issuer: String, _ reason: String) -> Void

    /// - Parameters:
    ///   - fetcher: nil where no issuer's keys are fetched.
    ///   - onFailure: told why an issuer's keys could not be fetched, and what is wrong with a set that was.
    package init(
        _ issuers: TokenIssuers,
        fetcher: (any DocumentFetcher)?,
        disk: any Disk,
        clock: Clock,
        onFailure: @escaping @Sendable (_ issuer: String, _ reason: String) -> Void
    ) {
        var state = State()
        for issuer in issuers.all { state.entries[issuer.issuer] = Entry(issuer: issuer) }
        // Bounded by the schedules, each of which asks for no second fetch while there is one.
        self.requests = AsyncStream.makeStream(bufferingPolicy: .unbounded)
        self.state = Mutex(state)
        self.fetcher = fetcher
        self.disk = disk
        self.clock = clock
        self.onFailure = onFailure
    }

    /// Believes these issuers from now on. One that is as it was keeps its keys; of one that was changed or is not among them
    /// streams end, and calls that wait for its keys ask again.
    /// - Returns: false when they are those that there are.
    @discardableResult package func replace(_ issuers: TokenIssuers) -> Bool {
        let waiting = self.state.withLock { state -> [@Sendable () -> Void]? in
            var entries: [String: Entry] = [:]
            for issuer in issuers.all {
                let kept = state.entries[issuer.issuer].flatMap { $0.issuer.isSame(as: issuer) ? $0 : nil }
                entries[issuer.issuer] = kept ?? Entry(issuer: issuer)
            }
            let others = state.entries.values.filter { entry in
                entries[entry.issuer.issuer]?.issuer.isSame(as: entry.issuer) != true
            }
            guard !others.isEmpty || entries.count != state.entries.count else { return nil }
            state.entries = entries
            self.changes.add(1, ordering: .releasing)
            return others.flatMap(\.waiting)
        }
        waiting?.forEach { $0() }
        return waiting != nil
    }

    /// Grows whenever an issuer's keys have become others.
    var generation: UInt64 { self.changes.load(ordering: .acquiring) }

    /// Nil for an issuer that is not configured.
    func issuer(_ name: String) -> TokenIssuer? {
        guard let issuer = self.state.withLock({ $0.entries[name]?.issuer }) else { return nil }
        // Letter by letter: a dictionary finds what only looks the same, too.
        return issuer.issuer.utf8.elementsEqual(name.utf8) ? issuer : nil
    }

    func key(_ id: String, of issuer: String) -> Lookup {
        let now = self.clock.monotonic()
        let (lookup, begins) = self.state.withLock { state -> (Lookup, Bool) in
            guard var entry = state.entries[issuer] else { return (.unknown, false) }
            defer { state.entries[issuer] = entry }
            let isUsable = entry.schedule.isUsable(at: now)
            // Nobody would run a fetch that began now.
            let isStopped = state.isStopped
            if isUsable, let key = entry.keys[id] {
                let begins = !isStopped && entry.schedule.begin(missesKey: false, at: now)
                let waits = !isStopped && entry.schedule.isFetching && entry.schedule.isStale(at: now)
                return (waits ? .fetching : .key(key), begins)
            }
            if isStopped { return (.unavailable, false) }
            if entry.schedule.begin(missesKey: true, at: now) { return (.fetching, true) }
            return (entry.schedule.isFetching ? .fetching : isUsable ? .unknown : .unavailable, false)
        }
        if begins { self.requests.continuation.yield(issuer) }
        return lookup
    }

    /// Why a key that was used for a token is not used any more; nil while it is. Has old keys fetched again.
    func refusal(of key: VerifiedToken.IssuerKey) -> TokenRefusal? {
        let now = self.clock.monotonic()
        let (refusal, begins) = self.state.withLock { state -> (TokenRefusal?, Bool) in
            let name = key.issuer.issuer
            guard let entry = state.entries[name], entry.issuer.isSame(as: key.issuer) else {
                return (.unknownIssuer, false)
            }
            let isUsable = entry.schedule.isUsable(at: now)
            let refusal = !isUsable ? TokenRefusal.keysUnavailable : entry.keys[key.id] == nil ? .unknownKey : nil
            guard !state.isStopped else { return (refusal, false) }
            return (refusal, state.entries[name]?.schedule.begin(missesKey: false, at: now) ?? false)
        }
        if begins { self.requests.continuation.yield(key.issuer.issuer) }
        return refusal
    }

    /// Calls `ready` when no fetch of the issuer's keys is under way: at once, or on another thread.
    /// - Returns: false, and `ready` is not called, when too many wait already.
    func whenFetched(_ issuer: String, _ ready: @escaping @Sendable () -> Void) -> Bool {
        let isWaiting = self.state.withLock { state -> Bool? in
            guard !state.isStopped, let entry = state.entries[issuer], entry.schedule.isFetching else { return false }
            guard entry.waiting.count < Self.waitingMax else { return nil }
            state.entries[issuer]?.waiting.append(ready)
            return true
        }
        guard let isWaiting else { return false }
        if !isWaiting { ready() }
        return true
    }

    /// Fetches what is asked for until the task is cancelled. Once.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await issuer in self.requests.stream { group.addTask { await self.fetch(issuer) } }
        }
        let waiting = self.state.withLock { state in
            state.isStopped = true
            return state.entries.keys.flatMap { Self.takeWaiting(of: $0, &state) }
        }
        waiting.forEach { $0() }
    }

    private static func takeWaiting(of issuer: String, _ state: inout State) -> [@Sendable () -> Void] {
        guard let waiting = state.entries[issuer]?.waiting else { return [] }
        state.entries[issuer]?.waiting = []
        return waiting
    }

    private func fetch(_ name: String) async {
        guard let issuer = self.issuer(name) else { return }
        var set: (keys: [String: VerificationKey], digest: SHA256.Digest)?
        do {
            let document = try await self.document(of: issuer)
            let parsed = try await JSONWebKeySet(parsing: document)
            set = (parsed.keys, SHA256.hash(data: document))
            for flaw in parsed.flaws { self.onFailure(name, "\(flaw)") }
        } catch {
            self.onFailure(name, "\(error)")
        }
        let now = self.clock.monotonic()
        let waiting = self.state.withLock { state -> [@Sendable () -> Void] in
            // Another may have its name by now.
            guard state.entries[name]?.issuer.isSame(as: issuer) == true else { return [] }
            state.entries[name]?.schedule.finish(succeeded: set != nil, at: now)
            if let set, state.entries[name]?.digest != set.digest {
                state.entries[name]?.keys = set.keys
                state.entries[name]?.digest = set.digest
                self.changes.add(1, ordering: .releasing)
            }
            return Self.takeWaiting(of: name, &state)
        }
        waiting.forEach { $0() }
    }

    private func document(of issuer: TokenIssuer) async throws -> [UInt8] {
        switch issuer.keys {
        case .file(let path): return try self.file(path)
        case .url(let url): return try await self.fetch(url, bytesMax: JSONWebKeySet.bytesMax)
        case .discovery:
            let base = issuer.issuer.hasSuffix("/") ? String(issuer.issuer.dropLast()) : issuer.issuer
            let text = try await self.fetch(
                base + "/.well-known/openid-configuration",
                bytesMax: Self.discoveryBytesMax
            )
            // What speaks for another issuer speaks for nobody here (OpenID Connect Discovery, 4.3).
            guard let members = try? JSONReader.object(text), case .text(let named) = members["issuer"],
                named.utf8.elementsEqual(issuer.issuer.utf8), case .text(let url) = members["jwks_uri"]
            else { throw FetchError.failed("the issuer's configuration does not say where its keys are") }
            return try await self.fetch(url, bytesMax: JSONWebKeySet.bytesMax)
        }
    }

    private func fetch(_ url: String, bytesMax: Int) async throws(FetchError) -> [UInt8] {
        guard let fetcher = self.fetcher else { throw .failed("nothing is fetched here") }
        return try await fetcher.fetch(url, bytesMax: bytesMax)
    }

    private func file(_ path: String) throws -> [UInt8] {
        guard let bytes = try self.disk.contents(of: path, bytesMax: JSONWebKeySet.bytesMax) else {
            throw JSONWebKeySetError.tooLong
        }
        return bytes
    }
}
