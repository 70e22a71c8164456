import BrasaIdentity
package import BrasaPlatform
import Synchronization

/// Says who bears a token. Waits for nothing: keys that have to be fetched first are a verdict of their own.
package final class TokenVerifier: Sendable {
    /// What the reading of the list of administrators' keys came to.
    package enum Reload: Hashable, Sendable {
        case unchanged
        case changed(keys: Int)
        /// The keys of before go on to be used. Said once, until the list can be read or fails in another way.
        case failed(AdministratorKeyError)
    }

    private struct Administrators {
        /// Of which reading this is.
        var reading: UInt64 = 0
        var document: [UInt8] = []
        var ring = AdministratorKeyRing.empty
        var failure: AdministratorKeyError?
    }

    /// Of a user's token, from now on: issuers make them for an hour, few for a day.
    static let userLifeMax: Int64 = 24 * 3_600_000_000
    private static let scheme = Array("bearer ".utf8)

    /// A reading of the list. Of two at once the one that began later has the last word, whichever ends first.
    struct Reading: Sendable {
        let number: UInt64
        let document: Result<[UInt8], AdministratorKeyError>
    }

    private let readings = Atomic<UInt64>(0)
    private let administrators = Mutex(Administrators())
    /// Grows after the ring was replaced.
    private let changes = Atomic<UInt64>(0)
    private let isListed = Atomic<Bool>(false)
    private let store: AdministratorKeyStore
    private let issuers: IssuerKeys
    private let tokens: AdministratorTokens
    private let isEmulator: Bool

    /// - Parameters:
    ///   - audiences: what the tokens of administrators' keys may be for, besides what clients name by default.
    ///   - isEmulator: takes unsigned tokens, and the word `owner` for an administrator.
    package init(store: AdministratorKeyStore, issuers: IssuerKeys, audiences: Set<String> = [], isEmulator: Bool) {
        self.store = store
        self.issuers = issuers
        self.tokens = AdministratorTokens(audiences: audiences.union([AdministratorTokens.defaultAudience]))
        self.isEmulator = isEmulator
    }

    /// Reads the list of administrators' keys, which commands change while the server runs. Every few seconds: the list is
    /// short, and comparing it whole misses no change, as times of files do.
    package func reload() async -> Reload {
        await self.install(self.read())
    }

    func read() -> Reading {
        let number = self.readings.add(1, ordering: .acquiringAndReleasing).newValue
        return Reading(number: number, document: Result { () throws(AdministratorKeyError) in try self.store.bytes() })
    }

    func install(_ reading: Reading) async -> Reload {
        do throws(AdministratorKeyError) {
            return try await self.installed(try reading.document.get(), number: reading.number)
        } catch {
            let isKnown = self.administrators.withLock { administrators in
                guard administrators.reading < reading.number else { return true }
                defer { (administrators.reading, administrators.failure) = (reading.number, error) }
                return administrators.failure == error
            }
            return isKnown ? .unchanged : .failed(error)
        }
    }

    private func installed(_ document: [UInt8], number: UInt64) async throws(AdministratorKeyError) -> Reload {
        let isUnchanged = self.administrators.withLock { administrators in
            guard administrators.reading < number else { return true }
            guard administrators.document == document else { return false }
            (administrators.reading, administrators.failure) = (number, nil)
            return true
        }
        if isUnchanged { return .unchanged }
        let list = try self.store.list(in: document)
        guard let ring = await AdministratorKeyRing(list) else { throw .damaged(path: self.store.path) }
        let isLatest = self.administrators.withLock { administrators in
            guard administrators.reading < number else { return false }
            administrators = Administrators(reading: number, document: document, ring: ring)
            return true
        }
        guard isLatest else { return .unchanged }
        if !document.isEmpty { self.isListed.store(true, ordering: .releasing) }
        self.changes.add(1, ordering: .releasing)
        return .changed(keys: list.keys.count)
    }

    /// Whether there has been a list of administrators' keys, if only of those that were deleted. It stays so when the file
    /// goes: a volume that is away for a moment must not make an owner of everybody.
    package var hasKeyList: Bool { self.isListed.load(ordering: .acquiring) }

    /// Grows whenever a token that was verified might not be any more.
    var generation: UInt64 { self.changes.load(ordering: .acquiring) + self.issuers.generation }

    /// - Parameter authorization: the value of the header, `Bearer` and a token.
    package func verdict(on authorization: [UInt8], at now: WallTime) -> TokenVerdict {
        guard authorization.count <= Self.scheme.count + SignedToken.bytesMax else { return .refused(.tooLong) }
        // In any case (RFC 9110, 11.1).
        let scheme = authorization.prefix(Self.scheme.count)
        let isBearer = scheme.elementsEqual(Self.scheme) { (0x41...0x5a).contains($0) ? $0 | 0x20 == $1 : $0 == $1 }
        guard isBearer else { return .refused(.notBearer) }
        do throws(TokenRefusal) {
            return try self.verdict(token: authorization[scheme.endIndex...], at: now)
        } catch {
            return .refused(error)
        }
    }

    private func verdict(token: ArraySlice<UInt8>, at now: WallTime) throws(TokenRefusal) -> TokenVerdict {
        // Read before the keys are: should they change meanwhile, the token is verified once more.
        let generation = self.generation
        let ring = self.administrators.withLock { $0.ring }
        func verified(
            _ bearer: VerifiedToken.Bearer,
            until expires: WallTime?,
            by issuerKey: VerifiedToken.IssuerKey? = nil
        ) -> TokenVerdict {
            .verified(
                VerifiedToken(
                    bearer: bearer,
                    expires: expires,
                    generation: generation,
                    issuerKey: issuerKey,
                    verified: now
                )
            )
        }
        if self.isEmulator, EmulatorTokens.isOwner(token) { return verified(.owner, until: nil) }
        if token.starts(with: AccessToken.prefix) {
            let (keyID, expires) = try AccessToken.read(token, secret: ring.secret)
            let key = try ring.entry(keyID).key
            guard now < expires else { throw .expired }
            return verified(.administrator(key), until: expires)
        }
        let token = try SignedToken(parsing: token, mayBeUnsigned: self.isEmulator)
        if self.isEmulator, let user = try EmulatorTokens.user(token) { return verified(.user(user), until: nil) }
        let issuer = try token.text("iss")
        if ring.emails.contains(issuer) {
            let (key, expires) = try self.tokens.verifyCall(token, by: ring, at: now)
            return verified(.administrator(key), until: expires)
        }
        guard let issuer = self.issuers.issuer(issuer) else { throw .unknownIssuer }
        guard let keyID = token.keyID else { throw .unknownKey }
        switch self.issuers.key(keyID, of: issuer.issuer) {
        case .unknown: throw .unknownKey
        case .unavailable: throw .keysUnavailable
        case .fetching: return .waiting(issuer: issuer.issuer)
        case .key(let key):
            let (user, expires) = try Self.user(token, of: issuer, by: key, at: now)
            return verified(.user(user), until: expires, by: .init(issuer: issuer, id: keyID))
        }
    }

    private static func user(
        _ token: SignedToken,
        of issuer: TokenIssuer,
        by key: VerificationKey,
        at now: WallTime
    ) throws(TokenRefusal) -> (User, WallTime) {
        try token.verify(by: key)
        guard token.isFor(issuer.audiences) else { throw .wrongAudience }
        let times = try TokenTimes(token.claims)
        try times.check(at: now)
        try times.check(lifeMax: Self.userLifeMax, at: now)
        return (User(id: try token.text("sub"), claims: token.claims), times.expires)
    }

    /// Calls `ready` when it is time to ask again for a token whose verdict was to wait: at once, or on another thread.
    /// - Returns: false, and `ready` is not called, when too many wait already: the token is refused.
    package func whenKeysCame(_ issuer: String, _ ready: @escaping @Sendable () -> Void) -> Bool {
        self.issuers.whenFetched(issuer, ready)
    }

    /// Why a token that was verified, perhaps long ago, names nobody any more; nil while it stands. For open streams.
    package func refusal(of token: VerifiedToken, at now: WallTime) -> TokenRefusal? {
        if let expires = token.expires, now >= expires { return .expired }
        if let key = token.issuerKey { return self.issuers.refusal(of: key) }
        guard case .administrator(let key) = token.bearer else { return nil }
        do throws(TokenRefusal) {
            _ = try self.administrators.withLock { $0.ring }.entry(key.id)
            return nil
        } catch {
            return error
        }
    }

    /// Answers a request at `token_uri`.
    package func exchange(_ body: [UInt8], at now: WallTime) -> TokenResponse {
        let assertion: [UInt8]
        do throws(TokenExchange.Failure) {
            assertion = try TokenExchange.assertion(in: body)
        } catch {
            return TokenExchange.refused(error, nil)
        }
        let ring = self.administrators.withLock { $0.ring }
        do throws(TokenRefusal) {
            let key = try self.tokens.verifyGrant(try SignedToken(parsing: assertion[...]), by: ring, at: now)
            let expires = now.microseconds / 1_000_000 + AccessToken.seconds
            return TokenExchange.granted(AccessToken.make(for: key.id, expires: expires, secret: ring.secret))
        } catch {
            return TokenExchange.refused(.invalidGrant, error)
        }
    }
}
