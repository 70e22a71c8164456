import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import CryptoExtras
import Testing

@testable import BrasaTokens

extension Gate {
    func exchange(_ body: String) -> TokenResponse { self.verifier.exchange(Array(body.utf8), at: self.now) }

    func accessToken(_ assertion: String) -> String? {
        let grant = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        let members = try? JSONReader.object(self.exchange("assertion=\(assertion)&\(grant)").body)
        guard case .text(let token) = members?["access_token"] else { return nil }
        return token
    }
}

@Suite struct ExchangeTests {
    private static let grant = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"

    @Test(arguments: [
        // Python, whatever the key file says; then Go.
        "https://oauth2.googleapis.com/token", "https://db.example:8080/token",
    ])
    func `A token that a key has signed for the exchange becomes one for calls, for an hour`(
        _ audience: String
    ) async throws {
        let gate = Gate()
        let file = try await gate.makeKey(role: .readOnly)
        let assertion = try file.grantToken(at: gate.seconds, audience: audience)
        let response = gate.exchange("assertion=\(assertion)&\(Self.grant)")
        #expect(response.status == 200)
        #expect(response.refusal == nil)
        let members = try JSONReader.object(response.body)
        #expect(members["token_type"] == .text("Bearer"))
        #expect(members["expires_in"] == .integer(3600))
        guard case .text(let access) = members["access_token"] else {
            Issue.record("\(members)")
            return
        }
        #expect(gate.verdict(access).administrator?.role == .readOnly)
        // Neither stands for the other.
        #expect(gate.verdict(assertion).refusal == .missingClaim)
        gate.clock.advance(microseconds: 3_599_000_000)
        #expect(gate.verdict(access).token != nil)
        gate.clock.advance(microseconds: 1_000_000)
        #expect(gate.verdict(access).refusal == .expired)
    }

    @Test func `An access token outlives a restart, and is of its own server only`() async throws {
        let gate = Gate()
        let file = try await gate.makeKey()
        let access = try #require(gate.accessToken(try file.grantToken(at: gate.seconds)))
        let restarted = TokenVerifier(store: gate.store, issuers: gate.issuers, isEmulator: false)
        _ = await restarted.reload()
        guard case .verified = restarted.verdict(on: Array("Bearer \(access)".utf8), at: gate.now) else {
            Issue.record("the token ended with the process")
            return
        }
        let other = Gate()
        _ = try await other.makeKey()
        #expect(other.verdict(access).refusal == .wrongSignature)
        #expect(Gate().verdict(access).refusal == .wrongSignature, "a server without keys has sealed nothing")
    }

    @Test func `A changed access token is none`() async throws {
        let gate = Gate()
        let file = try await gate.makeKey()
        let access = Array(try #require(gate.accessToken(try file.grantToken(at: gate.seconds))).utf8)
        for index in access.indices {
            var changed = access
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(gate.verdict(String(decoding: changed, as: UTF8.self)).token == nil)
        }
        #expect(gate.verdict(String(decoding: access + access, as: UTF8.self)).token == nil)
    }

    @Test func `What is refused is told by the standard's word alone`() async throws {
        let gate = Gate()
        let file = try await gate.makeKey()
        let now = gate.seconds
        let assertion = try file.grantToken(at: now)
        func claims(_ rest: String) throws -> String {
            try Forge.rs256(
                file.header,
                #"{"iss":"\#(file.email)","iat":\#(now),"exp":\#(now + 60),\#(rest)}"#,
                file.key
            )
        }
        let google = #""aud":"https://oauth2.googleapis.com/token""#
        let cases: [(String, String, TokenRefusal?)] = [
            ("", "invalid_request", nil),
            (Self.grant, "invalid_request", nil),
            ("assertion=\(assertion)", "invalid_request", nil),
            ("assertion=\(assertion)&\(Self.grant)&\(Self.grant)", "invalid_request", nil),
            ("assertion=%zz&\(Self.grant)", "invalid_request", nil),
            ("assertion=%+1&\(Self.grant)", "invalid_request", nil),
            ("assertion=\(assertion)&grant_type=password", "unsupported_grant_type", nil),
            (String(repeating: "a=b&", count: 20) + Self.grant, "invalid_request", nil),
            ("assertion=\(String(repeating: "x", count: 16 << 10))&\(Self.grant)", "invalid_request", nil),
            ("assertion=\(String(repeating: "x", count: 9 << 10))&\(Self.grant)", "invalid_grant", .tooLong),
            ("assertion=x&\(Self.grant)", "invalid_grant", .malformed),
            ("assertion=\(try file.callToken(at: now))&\(Self.grant)", "invalid_grant", .wrongAudience),
            ("assertion=\(try file.grantToken(at: now - 3601))&\(Self.grant)", "invalid_grant", .expired),
            ("assertion=\(try claims("\(google),\"sub\":\"u\""))&\(Self.grant)", "invalid_grant", .wrongSubject),
            (
                "assertion=\(try claims("\"aud\":\"https://x.example/token\""))&\(Self.grant)", "invalid_grant",
                .wrongAudience
            ),
        ]
        for (body, error, refusal) in cases {
            let response = gate.exchange(body)
            #expect(response.status == 400)
            #expect(response.refusal == refusal)
            #expect(try JSONReader.object(response.body) == ["error": .text(error)])
        }
        try gate.store.setDisabled(true, "app")
        _ = await gate.verifier.reload()
        #expect(gate.exchange("assertion=\(assertion)&\(Self.grant)").refusal == .disabledKey)
    }
}
