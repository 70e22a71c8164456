import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import CryptoExtras
import Testing

@testable import BrasaTokens

@Suite struct IssuerTests {
    private func token(
        _ key: _RSA.Signing.PrivateKey,
        _ name: String,
        _ user: String = "u1",
        until expires: Int64 = 1_700_086_400
    ) throws -> String {
        try Forge.rs256(
            #"{"alg":"RS256","kid":"\#(name)","typ":"JWT"}"#,
            #"{"iss":"https://id.example","aud":"app","sub":"\#(user)","exp":\#(expires),"admin":true,"n":1.5,"a":[1,"x"]}"#,
            key
        )
    }

    @Test func `A user's token names the user, with what it claims`() async throws {
        let gate = Gate()
        gate.publishKeys(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))
        let token = try self.token(Gate.issuerKey.get(), "k1")
        try await gate.fetching {
            let user = try #require(await gate.settled(token).user)
            #expect(user.id == "u1")
            #expect(user.claims["admin"] == .bool(true))
            #expect(user.claims["n"] == .number(1.5))
            #expect(user.claims["a"] == .list([.integer(1), .text("x")]))
            #expect(user.claims["exp"] == .integer(1_700_086_400))
        }
    }

    @Test(arguments: ["", #","typ":"JWT""#, #","typ":"jwt""#, #","typ":"at+jwt""#])
    func `A token may say that it is one`(_ type: String) async throws {
        let gate = Gate()
        let key = try Gate.issuerKey.get()
        gate.publishKeys(try Forge.jwk("k1", key.publicKey))
        let claims = #"{"iss":"https://id.example","aud":"app","sub":"u1","exp":1700003600}"#
        let token = try Forge.rs256(#"{"alg":"RS256","kid":"k1"\#(type)}"#, claims, key)
        try await gate.fetching { #expect(await gate.settled(token).user != nil) }
    }

    @Test func `A key that is not known yet is fetched, however many ask for it, once within the floor`() async throws {
        let gate = Gate()
        let (old, new) = (try Gate.issuerKey.get(), try Gate.otherKey.get())
        gate.publishKeys(try Forge.jwk("old", old.publicKey))
        let (oldToken, newToken) = (try self.token(old, "old"), try self.token(new, "new"))
        try await gate.fetching {
            await withDiscardingTaskGroup { group in
                for _ in 0..<50 { group.addTask { #expect(await gate.settled(oldToken).user != nil) } }
            }
            #expect(gate.fetcher.fetched.count == 1)
            // The issuer rotates.
            gate.publishKeys(try Forge.jwk("old", old.publicKey), try Forge.jwk("new", new.publicKey))
            #expect(await gate.settled(newToken).refusal == .unknownKey, "the floor holds")
            gate.clock.advance(microseconds: 30_000_000)
            #expect(await gate.settled(newToken).user != nil)
            #expect(await gate.settled(oldToken).user != nil)
            #expect(gate.fetcher.fetched.count == 2)
            // The old one is withdrawn, and seen to be when keys are fetched again for their age.
            gate.publishKeys(try Forge.jwk("new", new.publicKey))
            gate.clock.advance(microseconds: 600_000_000)
            #expect(await gate.settled(newToken).user != nil, "what is known is used meanwhile")
            await gate.issuersIdle()
            #expect(gate.fetcher.fetched.count == 3)
            #expect(await gate.settled(oldToken).refusal == .unknownKey)
        }
    }

    @Test func `A token in a cache is verified again when the issuer's keys became others`() async throws {
        let gate = Gate()
        let (old, new) = (try Gate.issuerKey.get(), try Gate.otherKey.get())
        gate.publishKeys(try Forge.jwk("old", old.publicKey))
        let (oldToken, newToken) = (try self.token(old, "old"), try self.token(new, "new"))
        try await gate.fetching {
            _ = await gate.settled(oldToken)
            var cache = TokenCache()
            #expect(cache.verdict(oldToken, gate).user != nil)
            gate.publishKeys(try Forge.jwk("new", new.publicKey))
            gate.clock.advance(microseconds: 600_000_000)
            #expect(await gate.settled(newToken).user != nil)
            #expect(cache.verdict(oldToken, gate).refusal == .unknownKey)
        }
    }

    @Test func `Keys that cannot be fetched again are used for a day, and then no more`() async throws {
        let gate = Gate()
        gate.publishKeys(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))
        @Sendable func token() throws -> String {
            try self.token(Gate.issuerKey.get(), "k1", until: gate.seconds + 3_600)
        }
        try await gate.fetching {
            #expect(await gate.settled(try token()).user != nil)
            gate.fetcher.set(Gate.keysURL, nil)
            gate.clock.advance(microseconds: 86_399_000_000)
            #expect(await gate.settled(try token()).user != nil)
            await gate.issuersIdle()
            gate.clock.advance(microseconds: 30_000_000)
            #expect(await gate.settled(try token()).refusal == .keysUnavailable)
            gate.publishKeys(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))
            gate.clock.advance(microseconds: 30_000_000)
            #expect(await gate.settled(try token()).user != nil)
        }
        #expect(gate.failures.all.allSatisfy { $0 == "https://id.example: the answer's status is 404" })
        #expect(gate.failures.all.count == 2)
    }

    @Test(arguments: [
        ("not json", "this is no JSON Web Key Set"),
        (String(repeating: " ", count: 300_000), "the answer is too long"),
    ])
    func `What is no set is told to the log, and the keys of before go on`(_ text: String, _ reason: String)
        async throws
    {
        let gate = Gate()
        gate.fetcher.set(Gate.keysURL, text)
        let token = try self.token(Gate.issuerKey.get(), "k1")
        try await gate.fetching {
            #expect(await gate.settled(token).refusal == .keysUnavailable)
            gate.publishKeys(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))
            gate.clock.advance(microseconds: 30_000_000)
            #expect(await gate.settled(token).user != nil)
            gate.fetcher.set(Gate.keysURL, text)
            gate.clock.advance(microseconds: 600_000_000)
            for _ in 0..<2 {
                #expect(await gate.settled(token).user != nil)
                await gate.issuersIdle()
            }
        }
        #expect(gate.failures.all == Array(repeating: "https://id.example: \(reason)", count: 2))
    }

    @Test(arguments: [
        #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","kid":"k1","k":"AAAA","alg":"HS256"}]}"#,
        #"{"keys":[{"kty":"RSA","kid":"k1","n":"AQAB","e":"AQAB"}]}"#,
    ])
    func `An issuer that withdraws all its keys is believed, and the log is told`(_ text: String) async throws {
        let gate = Gate()
        gate.publishKeys(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))
        let token = try self.token(Gate.issuerKey.get(), "k1")
        try await gate.fetching {
            #expect(await gate.settled(token).user != nil)
            gate.fetcher.set(Gate.keysURL, text)
            gate.clock.advance(microseconds: 600_000_000)
            _ = await gate.settled(token)
            await gate.issuersIdle()
            #expect(await gate.settled(token).refusal == .unknownKey)
        }
        #expect(
            gate.failures.all == [
                "https://id.example: the set has no key for RS256 or ES256 that has a name (kid) and is strong enough"
            ]
        )
    }

    @Test func `Keys that share a name are not used; the others are`() async throws {
        let gate = Gate()
        let (one, two) = (try Gate.issuerKey.get(), try Gate.otherKey.get())
        let twice = try Forge.jwk("twice", one.publicKey)
        gate.publishKeys(
            twice,
            try Forge.jwk("twice", two.publicKey),
            try Forge.jwk("once", two.publicKey),
            twice
        )
        let tokens = [try self.token(one, "twice"), try self.token(two, "twice"), try self.token(two, "once")]
        try await gate.fetching {
            #expect(await gate.settled(tokens[2]).user != nil)
            #expect(await gate.settled(tokens[0]).refusal == .unknownKey)
            #expect(await gate.settled(tokens[1]).refusal == .unknownKey)
        }
        #expect(
            gate.failures.all == ["https://id.example: several keys of the set have one name (kid), and are not used"]
        )
    }

    @Test func `An issuer's own page says where its keys are, for that issuer only`() async throws {
        let page = "https://id.example/.well-known/openid-configuration"
        let issuer = TokenIssuer(issuer: Gate.issuer, audiences: ["app"], keys: .discovery)
        let token = try self.token(Gate.issuerKey.get(), "k1")
        for (named, isBelieved) in [
            ("https://id.example", true), ("https://id.example/", false), ("https://evil.example", false),
        ] {
            let gate = Gate(issuers: TokenIssuers(issuer))
            gate.publishKeys(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))
            gate.fetcher.set(page, #"{"issuer":"\#(named)","jwks_uri":"\#(Gate.keysURL)"}"#)
            try await gate.fetching { #expect((await gate.settled(token).user != nil) == isBelieved) }
            #expect(gate.fetcher.fetched == (isBelieved ? [page, Gate.keysURL] : [page]))
        }
    }

    @Test func `Keys are read from a file, too, and again when they are old`() async throws {
        let gate = Gate(
            issuers: TokenIssuers(TokenIssuer(issuer: Gate.issuer, audiences: ["app"], keys: .file("keys.json")))
        )
        let token = try self.token(Gate.issuerKey.get(), "k1")
        let set = #"{"keys":[\#(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))]}"#
        try await gate.fetching {
            #expect(await gate.settled(token).refusal == .keysUnavailable)
            gate.disk.place(Array(set.utf8), at: "keys.json")
            gate.clock.advance(microseconds: 30_000_000)
            #expect(await gate.settled(token).user != nil)
        }
        #expect(gate.fetcher.fetched.isEmpty)
    }

    @Test func `A Firebase project's users are those of its issuer and audience`() {
        let issuer = TokenIssuer.firebase(project: "demo")
        #expect(issuer.issuer == "https://securetoken.google.com/demo")
        #expect(issuer.audiences == ["demo"])
    }

    @Test func `Two issuers do not speak for each other`() async throws {
        let other = TokenIssuer(
            issuer: "https://other.example",
            audiences: ["app"],
            keys: .url("https://other.example/k")
        )
        let one = TokenIssuer(issuer: Gate.issuer, audiences: ["app"], keys: .url(Gate.keysURL))
        let gate = Gate(issuers: try TokenIssuers([one, other]))
        gate.publishKeys(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))
        gate.fetcher.set(
            "https://other.example/k",
            #"{"keys":[\#(try Forge.jwk("k1", Gate.otherKey.get().publicKey))]}"#
        )
        let (right, wrong) = (try self.token(Gate.issuerKey.get(), "k1"), try self.token(Gate.otherKey.get(), "k1"))
        try await gate.fetching {
            #expect(await gate.settled(right).user != nil)
            #expect(await gate.settled(wrong).refusal == .wrongSignature)
        }
    }

    @Test func `More calls than may wait for keys are refused`() async throws {
        let gate = Gate()
        let token = try self.token(Gate.issuerKey.get(), "k1")
        guard case .waiting(let issuer) = gate.verdict(token) else {
            Issue.record("nothing to wait for")
            return
        }
        let called = Failures()
        for _ in 0..<IssuerKeys.waitingMax { #expect(gate.verifier.whenKeysCame(issuer) { called.add("") }) }
        #expect(!gate.verifier.whenKeysCame(issuer) { called.add("") })
        #expect(called.all.isEmpty)
        gate.publishKeys(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))
        try await gate.fetching { await gate.issuersIdle() }
        #expect(called.all.count == IssuerKeys.waitingMax)
    }

    @Test func `Places to wait for one issuer's keys are not another's`() async throws {
        let other = TokenIssuer(
            issuer: "https://slow.example",
            audiences: ["app"],
            keys: .url("https://slow.example/k")
        )
        let one = TokenIssuer(issuer: Gate.issuer, audiences: ["app"], keys: .url(Gate.keysURL))
        let gate = Gate(issuers: try TokenIssuers([one, other]))
        let key = try Gate.issuerKey.get()
        let slow = try Forge.rs256(
            #"{"alg":"RS256","kid":"k1"}"#,
            #"{"iss":"https://slow.example","aud":"app","sub":"u","exp":1700003600}"#,
            key
        )
        guard case .waiting(let slowIssuer) = gate.verdict(slow),
            case .waiting(let issuer) = gate.verdict(try self.token(key, "k1"))
        else {
            Issue.record("nothing to wait for")
            return
        }
        for _ in 0..<IssuerKeys.waitingMax { #expect(gate.verifier.whenKeysCame(slowIssuer) {}) }
        #expect(!gate.verifier.whenKeysCame(slowIssuer) {})
        #expect(gate.verifier.whenKeysCame(issuer) {})
    }

    @Test func `Names and user ids are told apart by their bytes`() throws {
        // The same letter, composed and taken apart.
        let (one, two) = ("\u{e9}", "e\u{301}")
        let members = try JSONReader.object(Array(#"{"\#(one)":1,"\#(two)":2}"#.utf8))
        #expect(members.count == 2 && members[ClaimName(one)] == .integer(1) && members[ClaimName(two)] == .integer(2))
        #expect(Claim.text(one) != .text(two))
        #expect(User(id: one) != User(id: two) && User(id: one) == User(id: one))
    }

    @Test func `A file names the issuers`() throws {
        let disk = SimulatedDisk(seed: 1)
        try Self.write(
            """
            {"issuers": [{"issuer": "https://a.example", "audiences": ["x", "y"]},
            {"issuer": "b", "audiences": ["x"], "keys": "https://b.example/k"},
            {"issuer": "c", "audiences": ["x"], "keys": "/keys.json"}]}
            """,
            to: disk
        )
        #expect(
            try TokenIssuers.read("issuers.json", disk: disk) == [
                TokenIssuer(issuer: "https://a.example", audiences: ["x", "y"], keys: .discovery),
                TokenIssuer(issuer: "b", audiences: ["x"], keys: .url("https://b.example/k")),
                TokenIssuer(issuer: "c", audiences: ["x"], keys: .file("/keys.json")),
            ]
        )
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"issuers": []}"#, #"{"issuers": [{"issuer": "https://a.example"}]}"#,
        #"{"issuers": [{"issuer": "https://a.example", "audiences": []}]}"#,
        #"{"issuers": [{"issuer": "a", "audiences": ["x"]}]}"#,
        #"{"issuers": [{"issuer": "a", "audiences": ["x"], "keys": "http://a.example/k"}]}"#,
        #"{"issuers": [{"issuer": "a", "audiences": ["x"], "keys": "keys.json"}]}"#,
        #"{"issuers": [{"issuer": "https://a.example", "audiences": ["x"], "audience": "y"}]}"#,
        #"{"issuers": [{"issuer": "https://a.example", "audiences": ["x"]}], "more": 1}"#,
    ])
    func `What a file says and is not known is an error`(_ text: String) throws {
        let disk = SimulatedDisk(seed: 1)
        try Self.write(text, to: disk)
        #expect(throws: TokenIssuersError.malformed(path: "issuers.json")) {
            try TokenIssuers.read("issuers.json", disk: disk)
        }
    }

    private static func write(_ text: String, to disk: SimulatedDisk) throws {
        let file = try disk.open("issuers.json", .createPrivate)
        defer { file.close() }
        try Array(text.utf8).withUnsafeBytes { try file.write($0, at: 0) }
    }

    @Test func `A server that ends lets nobody wait`() async throws {
        let gate = Gate()
        let token = try self.token(Gate.issuerKey.get(), "k1")
        let called = Failures()
        guard case .waiting(let issuer) = gate.verdict(token) else {
            Issue.record("nothing to wait for")
            return
        }
        #expect(gate.verifier.whenKeysCame(issuer) { called.add("") })
        let ended = Task { await gate.issuers.run() }
        ended.cancel()
        await ended.value
        #expect(called.all.count == 1)
        #expect(gate.verifier.whenKeysCame(issuer) { called.add("") })
        #expect(called.all.count == 2)
        // Whoever was called asks again, and is not told to wait again.
        #expect(gate.verdict(token).refusal == .keysUnavailable)
        gate.clock.advance(microseconds: 30_000_000)
        #expect(gate.verdict(token).refusal == .keysUnavailable)
    }

    @Test func `A server that ends goes on with the keys that it has`() async throws {
        let gate = Gate()
        gate.publishKeys(try Forge.jwk("k1", Gate.issuerKey.get().publicKey))
        let (known, unknown) = (try self.token(Gate.issuerKey.get(), "k1"), try self.token(Gate.otherKey.get(), "k2"))
        let run = Task { await gate.issuers.run() }
        #expect(await gate.settled(known).user != nil)
        run.cancel()
        await run.value
        gate.clock.advance(microseconds: 600_000_000)
        for _ in 0..<2 {
            #expect(gate.verdict(known).user != nil)
            #expect(gate.verdict(unknown).refusal == .keysUnavailable)
        }
    }
}

extension Gate {
    /// Returns when no keys are being fetched.
    func issuersIdle() async {
        await withCheckedContinuation { continuation in
            if !self.issuers.whenFetched(Self.issuer, { continuation.resume() }) { continuation.resume() }
        }
    }
}
