package import BrasaIdentity
package import BrasaPlatform

/// Who bears a token that was verified, and how long that holds.
package struct VerifiedToken: Sendable {
    package enum Bearer: Hashable, Sendable {
        /// A program that has an administrator's key.
        case administrator(AdministratorKey)
        /// Whoever says so to a server with `--emulator`.
        case owner
        case user(User)
    }

    /// The key of an issuer that has signed a user's token.
    struct IssuerKey: Hashable, Sendable {
        /// As it was then.
        let issuer: TokenIssuer
        let id: String
    }

    /// A user's token is taken from memory for so long; then its issuer's keys are asked again, which fetches old ones.
    static let rememberedMicroseconds: Int64 = 60_000_000

    package let bearer: Bearer
    /// From then on it names nobody. Nil: it has no end.
    package let expires: WallTime?
    /// Of the keys that it was verified by.
    let generation: UInt64
    let issuerKey: IssuerKey?
    let verified: WallTime

    /// Nobody has signed it: whoever knows the emulator's words can say as much.
    package var isUnsigned: Bool {
        switch self.bearer {
        case .owner: true
        case .user: self.issuerKey == nil
        case .administrator: false
        }
    }

    /// Whether it may be taken for what it was when it was verified.
    package func stands(_ verifier: TokenVerifier, at now: WallTime) -> Bool {
        self.generation == verifier.generation && self.isRemembered(at: now)
    }

    func isRemembered(at now: WallTime) -> Bool {
        if let expires = self.expires, now >= expires { return false }
        guard self.issuerKey != nil else { return true }
        return now >= self.verified && now.microseconds - self.verified.microseconds < Self.rememberedMicroseconds
    }
}

package enum TokenVerdict: Sendable {
    case verified(VerifiedToken)
    /// UNAUTHENTICATED, without the reason, which is for the log.
    case refused(TokenRefusal)
    /// Keys of this issuer are being fetched: `TokenVerifier.whenKeysCame` tells when to ask again.
    case waiting(issuer: String)
}
