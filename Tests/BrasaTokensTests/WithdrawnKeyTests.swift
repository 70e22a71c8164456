import BrasaPlatform
import BrasaSimulation
import CryptoExtras
import Testing

@testable import BrasaTokens

/// How long a user's token is believed after its issuer has withdrawn the key.
@Suite struct WithdrawnKeyTests {
    private func token(_ gate: Gate, issuer: String = Gate.issuer, audience: String = "app", life: Int64 = 3_600) throws
        -> String
    {
        try Forge.rs256(
            #"{"alg":"RS256","kid":"k1"}"#,
            #"{"iss":"\#(issuer)","aud":"\#(audience)","sub":"u1","exp":\#(gate.seconds + life)}"#,
            Gate.issuerKey.get()
        )
    }

    @Test(arguments: [1, 10, 45, 59, 61, 330, 659, 660, 3_000] as [Int64])
    func `A key that was withdrawn opens nothing after eleven minutes, however often it is used`(_ step: Int64)
        async throws
    {
        let gate = Gate()
        gate.publishKeys(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))
        let token = try self.token(gate)
        try await gate.fetching {
            var cache = TokenCache()
            _ = await gate.settled(token)
            #expect(cache.verdict(token, gate).user != nil)
            gate.publishKeys(try Forge.jwk("k2", Gate.otherKey.get().publicKey))
            var seconds: Int64 = 0
            while seconds < 660 {
                gate.clock.advance(microseconds: step * 1_000_000)
                seconds += step
                let verdict = cache.verdict(token, gate)
                if seconds >= 660 { #expect(verdict.token == nil) }
                await gate.issuersIdle()
            }
            #expect(cache.verdict(token, gate).refusal == .unknownKey)
        }
    }

    @Test func `A stream ends when the key of its token is withdrawn, without another call`() async throws {
        let gate = Gate()
        gate.publishKeys(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))
        let token = try self.token(gate)
        try await gate.fetching {
            let verified = try #require(await gate.settled(token).token)
            gate.publishKeys(try Forge.jwk("k2", Gate.otherKey.get().publicKey))
            gate.clock.advance(microseconds: 599_000_000)
            #expect(gate.verifier.refusal(of: verified, at: gate.now) == nil)
            #expect(gate.fetcher.fetched.count == 1)
            gate.clock.advance(microseconds: 1_000_000)
            _ = gate.verifier.refusal(of: verified, at: gate.now)
            await gate.issuersIdle()
            #expect(gate.verifier.refusal(of: verified, at: gate.now) == .unknownKey)
            #expect(gate.fetcher.fetched.count == 2)
        }
    }

    @Test func `An issuer that is away for a while keeps nobody waiting twice`() async throws {
        let gate = Gate()
        gate.publishKeys(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))
        let token = try self.token(gate)
        try await gate.fetching {
            _ = await gate.settled(token)
            gate.fetcher.set(Gate.keysURL, nil)
            gate.clock.advance(microseconds: 660_000_000)
            #expect(gate.verdict(token).token == nil)
            await gate.issuersIdle()
            for _ in 0..<10 {
                gate.clock.advance(microseconds: 30_000_000)
                #expect(gate.verdict(token).user != nil)
                await gate.issuersIdle()
            }
        }
    }

    @Test func `A user's token is good for a day at most`() async throws {
        let gate = Gate()
        gate.publishKeys(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))
        let (day, more) = (try self.token(gate, life: 86_430), try self.token(gate, life: 86_431))
        try await gate.fetching {
            #expect(await gate.settled(day).user != nil)
            #expect(await gate.settled(more).refusal == .tooLongLived)
        }
    }

    @Test func `Issuers and audiences are compared letter by letter, not by how they look`() async throws {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        #expect(composed == decomposed)
        let issuer = TokenIssuer(issuer: composed, audiences: [composed], keys: .url(Gate.keysURL))
        let gate = Gate(issuers: TokenIssuers(issuer))
        gate.publishKeys(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))
        let tokens = [
            try self.token(gate, issuer: composed, audience: composed),
            try self.token(gate, issuer: decomposed, audience: composed),
            try self.token(gate, issuer: composed, audience: decomposed),
        ]
        try await gate.fetching {
            #expect(await gate.settled(tokens[0]).user != nil)
            #expect(await gate.settled(tokens[1]).refusal == .unknownIssuer)
            #expect(await gate.settled(tokens[2]).refusal == .wrongAudience)
        }
    }

    @Test func `Two issuers of one name are refused`() throws {
        let one = TokenIssuer(issuer: "https://a", audiences: ["x"], keys: .discovery)
        let two = TokenIssuer(issuer: "https://a", audiences: ["y"], keys: .file("f"))
        #expect(throws: TokenIssuersError.duplicate("https://a")) { try TokenIssuers([one, two]) }
    }
}
