package import BrasaIdentity
package import BrasaPlatform
import Crypto

/// Tokens that were verified lately, with what they let in by, so that the next call with one costs a hash and a look-up. A
/// value without a lock, for one event loop. Knows tokens by their hash: what is read out of memory calls nobody.
///
/// Holds at most `tokensMax`: when the newer half is full it becomes the older, and what the older had is forgotten.
package struct TokenCache: ~Copyable {
    private struct Entry {
        let token: VerifiedToken
        let admission: Admission
    }

    private typealias Entries = [SHA256.Digest: Entry]

    private let halfMax: Int
    private var newer = Entries()
    private var older = Entries()

    package init(tokensMax: Int = 1_024) {
        self.halfMax = max(1, tokensMax / 2)
    }

    package var count: Int { self.newer.count + self.older.count }

    /// Nil when `verifier` has to be asked.
    package mutating func known(
        _ authorization: UnsafeRawBufferPointer,
        by verifier: TokenVerifier,
        at now: WallTime
    ) -> (token: VerifiedToken, admission: Admission)? {
        guard let hash = Self.hash(authorization), let entry = self.newer[hash] ?? self.older[hash] else { return nil }
        guard entry.token.stands(verifier, at: now) else {
            self.newer[hash] = nil
            self.older[hash] = nil
            return nil
        }
        if self.newer[hash] == nil { self.insert(entry, hash) }
        return (entry.token, entry.admission)
    }

    package mutating func insert(_ token: VerifiedToken, _ admission: Admission, for authorization: [UInt8]) {
        guard let hash = authorization.withUnsafeBytes({ Self.hash($0) }) else { return }
        self.insert(Entry(token: token, admission: admission), hash)
    }

    /// Nil for what is refused unread: hashing it would be work for nothing.
    private static func hash(_ authorization: UnsafeRawBufferPointer) -> SHA256.Digest? {
        guard authorization.count <= SignedToken.bytesMax * 2 else { return nil }
        var hash = SHA256()
        hash.update(bufferPointer: authorization)
        return hash.finalize()
    }

    private mutating func insert(_ entry: Entry, _ hash: SHA256.Digest) {
        self.older[hash] = nil
        if self.newer.count >= self.halfMax {
            self.older = self.newer
            self.newer = [:]
        }
        self.newer[hash] = entry
    }
}
