import BrasaPlatform
import CryptoExtras
import Synchronization
import Testing

@testable import BrasaTokens

/// The issuers that are believed are others from one moment to the next, while tokens are shown and keys are fetched.
@Suite struct IssuerReloadTests {
    private static let other = TokenIssuer(
        issuer: "https://other.example",
        audiences: ["app"],
        keys: .url("https://other.example/keys")
    )
    private static let same = TokenIssuer(issuer: Gate.issuer, audiences: ["app"], keys: .url(Gate.keysURL))

    private func gate() throws -> Gate {
        let gate = Gate()
        gate.publishKeys(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))
        return gate
    }

    private func token(of issuer: String = Gate.issuer, for audience: String = "app") throws -> String {
        try Forge.rs256(
            #"{"alg":"RS256","kid":"k1"}"#,
            #"{"iss":"\#(issuer)","aud":"\#(audience)","sub":"u1","exp":1700003600}"#,
            Gate.issuerKey.get()
        )
    }

    @Test func `An issuer that stays as it was keeps its keys, and one that is new has its own fetched`() async throws {
        let gate = try self.gate()
        let token = try self.token()
        try await gate.fetching {
            let verified = try #require(await gate.settled(token).token)
            gate.issuers.replace(try TokenIssuers([Self.other, Self.same]))
            #expect(gate.verifier.refusal(of: verified, at: gate.now) == nil)
            #expect(await gate.settled(token).user != nil)
            #expect(gate.fetcher.fetched == [Gate.keysURL])
            _ = await gate.settled(try self.token(of: Self.other.issuer))
            #expect(gate.fetcher.fetched == [Gate.keysURL, "https://other.example/keys"])
        }
    }

    @Test func `The same issuers in another order change nothing, and none is a change`() async throws {
        let gate = try self.gate()
        let both = try TokenIssuers([Self.other, Self.same])
        let (swapped, none) = (try TokenIssuers([Self.same, Self.other]), try TokenIssuers([]))
        #expect(gate.issuers.replace(both) && !gate.issuers.replace(swapped))
        let generation = gate.verifier.generation
        #expect(!gate.issuers.replace(both) && gate.verifier.generation == generation)
        #expect(gate.issuers.replace(none) && gate.verifier.generation > generation)
    }

    @Test func `The users of an issuer that is gone are nobody, in caches and open streams, too`() async throws {
        let gate = try self.gate()
        let token = try self.token()
        try await gate.fetching {
            var cache = TokenCache()
            let verified = try #require(await gate.settled(token).token)
            #expect(cache.verdict(token, gate).user != nil)
            gate.issuers.replace(TokenIssuers(Self.other))
            #expect(gate.verifier.refusal(of: verified, at: gate.now) == .unknownIssuer)
            #expect(cache.verdict(token, gate).refusal == .unknownIssuer)
        }
    }

    @Test func `An issuer whose audiences are others begins anew`() async throws {
        let gate = try self.gate()
        let token = try self.token()
        try await gate.fetching {
            let verified = try #require(await gate.settled(token).token)
            let changed = TokenIssuer(issuer: Gate.issuer, audiences: ["web"], keys: .url(Gate.keysURL))
            gate.issuers.replace(TokenIssuers(changed))
            #expect(gate.verifier.refusal(of: verified, at: gate.now) != nil)
            #expect(await gate.settled(token).refusal == .wrongAudience)
            #expect(await gate.settled(try self.token(for: "web")).user != nil)
            // The key is the same, and there again.
            #expect(gate.verifier.refusal(of: verified, at: gate.now) == .unknownIssuer)
        }
    }

    @Test func `Who waits for the keys of an issuer that is replaced asks again`() async throws {
        let gate = try self.gate()
        let token = try self.token()
        // Nobody fetches, so that it waits until it is told.
        guard case .waiting = gate.verdict(token) else {
            Issue.record("it does not wait")
            return
        }
        let told = Counter()
        #expect(gate.verifier.whenKeysCame(Gate.issuer) { told.increment() })
        gate.issuers.replace(TokenIssuers(Self.same))
        #expect(told.count == 0, "it stays as it was")
        gate.issuers.replace(TokenIssuers(Self.other))
        #expect(told.count == 1)
        #expect(gate.verdict(token).refusal == .unknownIssuer)
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { self.value.withLock { $0 } }
    func increment() { self.value.withLock { $0 += 1 } }
}
