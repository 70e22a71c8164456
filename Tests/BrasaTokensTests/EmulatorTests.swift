import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import Testing

@testable import BrasaTokens

@Suite struct EmulatorTests {
    private func unsigned(_ claims: String) -> String {
        "\(Forge.part(#"{"alg":"none","typ":"JWT"}"#)).\(Forge.part(claims))."
    }

    @Test func `With the emulator the owner is an administrator, and unsigned tokens name users`() {
        let gate = Gate(isEmulator: true)
        #expect(gate.verdict("owner").token?.bearer == .owner)
        let user = gate.verdict(self.unsigned(#"{"sub":"alice","exp":1,"iat":0,"aud":"any","role":"x"}"#)).user
        #expect(user?.id == "alice")
        #expect(user?.claims["role"] == .text("x"))
        #expect(gate.verdict(self.unsigned(#"{"user_id":"bob"}"#)).user?.id == "bob")
        #expect(gate.verdict(self.unsigned(#"{"name":"bob"}"#)).refusal == .missingClaim)
        #expect(gate.verdict(self.unsigned(#"{"sub":"a"}"#) + "AAAA").refusal == .malformed)
        #expect(gate.verdict("garbage").refusal == .malformed)
    }

    @Test func `Without it neither is anybody`() {
        let gate = Gate()
        #expect(gate.verdict("owner").refusal == .malformed)
        #expect(gate.verdict(self.unsigned(#"{"sub":"alice"}"#)).refusal == .unsupportedAlgorithm)
    }
}
