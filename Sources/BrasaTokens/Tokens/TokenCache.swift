package import BrasaPlatform
import Crypto

/// Tokens that were verified lately, so that the next call with one costs a hash and a look-up. A value without a lock, for
/// one event loop or connection. Knows tokens by their hash: what is read out of memory calls nobody.
///
/// Holds at most `tokensMax`: when the newer half is full it becomes the older, and what the older had is forgotten.
package struct TokenCache: ~Copyable {
    private typealias Tokens = [SHA256.Digest: VerifiedToken]

    private let halfMax: Int
    private var newer = Tokens()
    private var older = Tokens()

    package init(tokensMax: Int = 1_024) {
        self.halfMax = max(1, tokensMax / 2)
    }

    package var count: Int { self.newer.count + self.older.count }

    /// What `verifier` says of a token, from memory as long as that stands.
    package mutating func verdict(
        on authorization: [UInt8],
        by verifier: TokenVerifier,
        at now: WallTime
    ) -> TokenVerdict {
        // Longer ones are refused; hashing them first would be work for nothing.
        guard authorization.count <= SignedToken.bytesMax * 2 else { return .refused(.tooLong) }
        let hash = SHA256.hash(data: authorization)
        if let token = self.newer[hash] ?? self.older[hash] {
            if token.generation == verifier.generation, token.isRemembered(at: now) {
                if self.newer[hash] == nil { self.insert(token, hash) }
                return .verified(token)
            }
            self.newer[hash] = nil
            self.older[hash] = nil
        }
        let verdict = verifier.verdict(on: authorization, at: now)
        if case .verified(let token) = verdict { self.insert(token, hash) }
        return verdict
    }

    private mutating func insert(_ token: VerifiedToken, _ hash: SHA256.Digest) {
        self.older[hash] = nil
        if self.newer.count >= self.halfMax {
            self.older = self.newer
            self.newer = [:]
        }
        self.newer[hash] = token
    }
}
