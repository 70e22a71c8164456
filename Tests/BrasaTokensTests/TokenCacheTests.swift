import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import Testing

@testable import BrasaTokens

@Suite struct TokenCacheTests {
    @Test func `A token that was verified is known until it ends`() async throws {
        let gate = Gate()
        let file = try await gate.makeKey()
        let token = try file.callToken(at: gate.seconds)
        var cache = TokenCache()
        #expect(cache.verdict(token, gate).administrator?.name == "app")
        #expect(cache.count == 1)
        gate.clock.advance(microseconds: 3_600_000_000)
        #expect(cache.verdict(token, gate).refusal == .expired)
        #expect(cache.count == 0)
    }

    @Test func `What is refused takes no room`() {
        let gate = Gate()
        var cache = TokenCache()
        for index in 0..<100 { #expect(cache.verdict("a.b.\(index)", gate).refusal != nil) }
        #expect(cache.count == 0)
    }

    @Test func `It holds no more than its bound, and keeps what is used`() {
        let gate = Gate(isEmulator: true)
        var cache = TokenCache(tokensMax: 10)
        let token = { (name: String) in "\(Forge.part(#"{"alg":"none"}"#)).\(Forge.part(#"{"sub":"\#(name)"}"#))." }
        for index in 0..<100 {
            #expect(cache.verdict(token("often"), gate).user?.id == "often")
            #expect(cache.verdict(token("u\(index)"), gate).user?.id == "u\(index)")
            #expect(cache.count <= 10)
        }
        guard case .user(let first) = cache.verdict(token("often"), gate).token?.bearer,
            case .user(let second) = cache.verdict(token("often"), gate).token?.bearer
        else {
            Issue.record("not known")
            return
        }
        // The very same object: nothing was made again.
        #expect(first === second)
    }
}
