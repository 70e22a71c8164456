import BrasaIdentity
import BrasaPlatform

/// From when until when a token is good.
struct TokenTimes {
    /// Clocks differ: what an issuer has just made may lie so far ahead. What has expired has, by our own clock.
    static let skewMicroseconds: Int64 = 30_000_000

    let expires: WallTime
    private let issued: WallTime?
    private let notBefore: WallTime?

    init(_ claims: [ClaimName: Claim]) throws(TokenRefusal) {
        guard let expires = try Self.time(claims["exp"]) else { throw .missingClaim }
        self.expires = expires
        self.issued = try Self.time(claims["iat"])
        self.notBefore = try Self.time(claims["nbf"])
    }

    func check(at now: WallTime) throws(TokenRefusal) {
        guard now < self.expires else { throw .expired }
        for start in [self.issued, self.notBefore] {
            guard let start else { continue }
            guard start.microseconds <= now.microseconds + Self.skewMicroseconds else { throw .notYetValid }
        }
    }

    /// - Throws: unless the token is good for no longer than that from now on, clocks aside.
    func check(lifeMax microseconds: Int64, at now: WallTime) throws(TokenRefusal) {
        let left = self.expires.microseconds - now.microseconds
        guard left <= microseconds + Self.skewMicroseconds else { throw .tooLongLived }
    }

    /// - Throws: unless the token says when it was made, no longer than that before its end.
    func check(spanMax microseconds: Int64) throws(TokenRefusal) {
        guard let issued = self.issued else { throw .missingClaim }
        guard self.expires.microseconds - issued.microseconds <= microseconds else { throw .tooLongLived }
    }

    /// Seconds since the epoch, perhaps with a fraction (RFC 7519, section 2).
    private static func time(_ claim: Claim?) throws(TokenRefusal) -> WallTime? {
        // Past any date that is meant, and far from any overflow.
        let secondsMax: Int64 = 1 << 40
        switch claim {
        case nil: return nil
        case .integer(let seconds) where seconds >= 0 && seconds <= secondsMax:
            return WallTime(microseconds: seconds * 1_000_000)
        case .number(let seconds) where seconds >= 0 && seconds <= Double(secondsMax):
            return WallTime(microseconds: Int64(seconds * 1_000_000))
        default: throw .missingClaim
        }
    }
}
