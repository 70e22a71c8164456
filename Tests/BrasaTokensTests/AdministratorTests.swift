import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import CryptoExtras
import Testing

@testable import BrasaTokens

@Suite struct AdministratorTests {
    @Test func `A key file has what official clients read`() async throws {
        let gate = Gate()
        let file = try await gate.makeKey("web-server")
        #expect(file.text("type") == "service_account")
        #expect(file.text("project_id") == "demo")
        #expect(file.text("client_email") == "web-server@demo.brasa")
        #expect(file.text("token_uri") == "https://db.example:8080/token")
        #expect(file.text("private_key_id").count == 40)
        #expect(file.text("client_id").count == 20)
        // Java reads no other form.
        #expect(file.text("private_key").hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(file.text("private_key").hasSuffix("-----END PRIVATE KEY-----\n"))
        #expect(file.key.keySizeInBits == 2048)
    }

    @Test func `A token that a key has signed for the service, as clients do, names an administrator`() async throws {
        let gate = Gate()
        let file = try await gate.makeKey(role: .readOnly, databases: ["projects/demo/databases/(default)"])
        let token = try #require(gate.verdict(try file.callToken(at: gate.seconds)).token)
        guard case .administrator(let key) = token.bearer else {
            Issue.record("\(token)")
            return
        }
        #expect(key.name == "app")
        #expect(key.role == .readOnly)
        #expect(key.databases == ["projects/demo/databases/(default)"])
        #expect(token.expires?.microseconds == (gate.seconds + 3600) * 1_000_000)
    }

    @Test(arguments: [
        // google-auth with scopes; Go.
        (#""scope":"https://www.googleapis.com/auth/datastore""#, nil),
        (#""aud":"","scope":"https://www.googleapis.com/auth/datastore""#, nil),
        (#""scope":"https://www.googleapis.com/auth/cloud-platform https://www.googleapis.com/auth/datastore""#, nil),
        (#""aud":"https://firestore.googleapis.com/""#, nil),
        // Configured.
        (#""aud":"https://db.example/""#, nil),
        (#""aud":["https://elsewhere.example/","https://db.example/"]"#, nil),
        (#""aud":"https://elsewhere.example/""#, TokenRefusal.wrongAudience),
        // What is meant for the exchange is good for nothing else, whatever its scope.
        (
            #""aud":"https://oauth2.googleapis.com/token","scope":"https://www.googleapis.com/auth/datastore""#,
            .wrongAudience
        ),
        (#""aud":"https://db.example:8080/token""#, .wrongAudience),
        (#""scope":"https://www.googleapis.com/auth/drive""#, .wrongAudience),
        (#""scope":"""#, .missingClaim),
        (#""x":1"#, .missingClaim),
        (#""aud":"""#, .missingClaim),
        (#""aud":"","scope":"https://www.googleapis.com/auth/drive""#, .wrongAudience),
        (#""aud":[""],"scope":"https://www.googleapis.com/auth/datastore""#, .wrongAudience),
        (#""aud":null,"scope":"https://www.googleapis.com/auth/datastore""#, .wrongAudience),
    ])
    func `A token for a call names the service or a scope`(_ rest: String, _ refusal: TokenRefusal?) async throws {
        let gate = Gate()
        let file = try await gate.makeKey()
        let (from, to) = (gate.seconds, gate.seconds + 3600)
        let claims = #"{"iss":"\#(file.email)","sub":"\#(file.email)","iat":\#(from),"exp":\#(to),\#(rest)}"#
        let verdict = gate.verdict(try Forge.rs256(file.header, claims, file.key))
        #expect(verdict.refusal == refusal)
        #expect((verdict.administrator == nil) == (refusal != nil))
    }

    @Test func `A key speaks for itself only, and for an hour at most`() async throws {
        let gate = Gate()
        let file = try await gate.makeKey()
        let other = try await gate.makeKey("other")
        let now = gate.seconds
        func refusal(_ claims: String, _ key: _RSA.Signing.PrivateKey? = nil, header: String? = nil) throws
            -> TokenRefusal?
        {
            gate.verdict(try Forge.rs256(header ?? file.header, claims, key ?? file.key)).refusal
        }
        func claims(_ issuer: String, _ subject: String, _ from: Int64, _ to: Int64) -> String {
            #"{"iss":"\#(issuer)","sub":"\#(subject)","iat":\#(from),"exp":\#(to),"aud":"https://firestore.googleapis.com/"}"#
        }
        #expect(try refusal(claims(file.email, file.email, now, now + 3600)) == nil)
        // Clocks differ: the client's may be ahead.
        #expect(try refusal(claims(file.email, file.email, now + 30, now + 3630)) == nil)
        #expect(try refusal(claims(file.email, file.email, now + 30, now + 3631)) == .tooLongLived)
        // As google/auth for PHP has it.
        #expect(try refusal(claims(file.email, file.email, now - 60, now + 3600)) == nil)
        #expect(try refusal(claims(file.email, file.email, now - 300, now + 3600)) == nil)
        #expect(try refusal(claims(file.email, file.email, now - 301, now + 3600)) == .tooLongLived)
        #expect(try refusal(claims(file.email, file.email, 0, now + 60)) == .tooLongLived)
        #expect(try refusal(claims(file.email, other.email, now, now + 60)) == .wrongSubject)
        #expect(try refusal(claims(other.email, other.email, now, now + 60)) == .unknownIssuer)
        #expect(try refusal(claims(file.email, file.email, now, now + 60), other.key) == .wrongSignature)
        #expect(try refusal(claims(file.email, file.email, now, now + 60), header: #"{"alg":"RS256"}"#) == .unknownKey)
        #expect(try refusal(claims(file.email, file.email, now - 61, now - 1)) == .expired)
        #expect(
            try refusal(
                #"{"iss":"\#(file.email)","sub":"\#(file.email)","exp":\#(now + 60),"aud":"https://db.example/"}"#
            )
                == .missingClaim
        )
    }

    @Test func `A key that is disabled or deleted ends its tokens and the streams that they opened`() async throws {
        let gate = Gate()
        let file = try await gate.makeKey()
        let signed = try file.callToken(at: gate.seconds)
        let access = try #require(gate.accessToken(try file.grantToken(at: gate.seconds)))
        let tokens = try [signed, access].map { try #require(gate.verdict($0).token) }
        var cache = TokenCache()
        for token in [signed, access] { #expect(cache.verdict(token, gate).token != nil) }
        for (change, refusal) in [
            ({ try gate.store.setDisabled(true, "app") }, TokenRefusal.disabledKey),
            ({ try gate.store.setDisabled(false, "app") }, nil),
            ({ try gate.store.delete("app") }, nil as TokenRefusal?),
        ] as [(() throws -> Void, TokenRefusal?)] {
            try change()
            #expect(await gate.verifier.reload() == .changed(keys: try gate.store.read().keys.count))
            let isDeleted = try gate.store.read().keys.isEmpty
            let streams = tokens.map { gate.verifier.refusal(of: $0, at: gate.now) }
            #expect(streams == [isDeleted ? .unknownKey : refusal, isDeleted ? .unknownKey : refusal])
            #expect(cache.verdict(access, gate).refusal == (isDeleted ? .unknownKey : refusal))
            // Whose key is gone is nobody's issuer.
            #expect(cache.verdict(signed, gate).refusal == (isDeleted ? .unknownIssuer : refusal))
        }
    }

    @Test func `A stream outlives its token by nothing`() async throws {
        let gate = Gate()
        let file = try await gate.makeKey()
        let token = try #require(gate.verdict(try file.callToken(at: gate.seconds)).token)
        gate.clock.advance(microseconds: 3_600_000_000 - 1)
        #expect(gate.verifier.refusal(of: token, at: gate.now) == nil)
        gate.clock.advance(microseconds: 1)
        #expect(gate.verifier.refusal(of: token, at: gate.now) == .expired)
    }
}

extension TokenCache {
    mutating func verdict(_ token: String, _ gate: Gate) -> TokenVerdict {
        let authorization = Array("Bearer \(token)".utf8)
        let known = authorization.withUnsafeBytes { self.known($0, by: gate.verifier, at: gate.now)?.token }
        if let known { return .verified(known) }
        let verdict = gate.verifier.verdict(on: authorization, at: gate.now)
        if case .verified(let token) = verdict { self.insert(token, Admission(.nobody), for: authorization) }
        return verdict
    }
}
