import BrasaIdentity
import BrasaPlatform
import BrasaSigner

/// Tokens that an administrator's key has signed itself, as official clients make them.
///
/// Two kinds, which stand for each other nowhere: those sent with a call, which name the service or a scope, and those sent
/// to `token_uri`, which name a token endpoint. google-auth 2.62 sends `https://oauth2.googleapis.com/token` there
/// whatever the key file's `token_uri` says, and no subject; Go sends the file's.
struct AdministratorTokens: Sendable {
    /// What clients name as the service when they are told of no other.
    static let defaultAudience = SigningKey.audience
    static let scopes: Set<String> = [
        "https://www.googleapis.com/auth/datastore", "https://www.googleapis.com/auth/cloud-platform",
    ]
    static let tokenEndpoints: Set<String> = [
        "https://oauth2.googleapis.com/token", "https://www.googleapis.com/oauth2/v4/token",
        "https://accounts.google.com/o/oauth2/token",
    ]
    /// Clients make them for an hour from now.
    static let lifeMax: Int64 = 3_600_000_000
    /// From `iat` on: some set it back against clocks that are behind, google/auth for PHP by a minute.
    static let spanMax: Int64 = Self.lifeMax + 300_000_000

    /// What a call's token may name as its audience.
    let audiences: Set<String>

    /// The key of a token that was sent with a call.
    func verifyCall(
        _ token: SignedToken,
        by ring: AdministratorKeyRing,
        at now: WallTime
    ) throws(TokenRefusal) -> (key: AdministratorKey, expires: WallTime) {
        let (key, expires) = try self.verify(token, by: ring, at: now)
        guard try token.text("sub") == key.email else { throw .wrongSubject }
        if token.namesAudience {
            guard token.isFor(self.audiences) else { throw .wrongAudience }
        } else {
            let scopes = try token.text("scope").split(separator: " ").map(String.init)
            guard !Self.scopes.isDisjoint(with: scopes) else { throw .wrongAudience }
        }
        return (key, expires)
    }

    /// The key of a token that was sent to `token_uri`.
    func verifyGrant(
        _ token: SignedToken,
        by ring: AdministratorKeyRing,
        at now: WallTime
    ) throws(TokenRefusal) -> AdministratorKey {
        let (key, _) = try self.verify(token, by: ring, at: now)
        if token.claims["sub"] != nil, try token.text("sub") != key.email { throw .wrongSubject }
        guard token.isFor(Self.tokenEndpoints.union([key.tokenURI])) else { throw .wrongAudience }
        return key
    }

    private func verify(
        _ token: SignedToken,
        by ring: AdministratorKeyRing,
        at now: WallTime
    ) throws(TokenRefusal) -> (AdministratorKey, WallTime) {
        let entry = try ring.entry(token.keyID)
        try token.verify(by: entry.verification)
        guard try token.text("iss") == entry.key.email else { throw .unknownIssuer }
        let times = try TokenTimes(token.claims)
        try times.check(at: now)
        try times.check(lifeMax: Self.lifeMax, at: now)
        try times.check(spanMax: Self.spanMax)
        return (entry.key, times.expires)
    }
}
