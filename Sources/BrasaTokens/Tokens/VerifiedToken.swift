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

    package let bearer: Bearer
    /// From then on it names nobody. Nil: it has no end.
    package let expires: WallTime?
    /// Of the keys that it was verified by.
    let generation: UInt64
}

package enum TokenVerdict: Sendable {
    case verified(VerifiedToken)
    /// UNAUTHENTICATED, without the reason, which is for the log.
    case refused(TokenRefusal)
    /// Keys of this issuer are being fetched: `TokenVerifier.whenKeysCame` tells when to ask again.
    case waiting(issuer: String)
}
