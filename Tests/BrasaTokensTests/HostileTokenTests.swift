import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import Crypto
import CryptoExtras
import Testing

@testable import BrasaTokens

/// Tokens made to be taken for what they are not. Each is refused, with its reason for the log.
@Suite struct HostileTokenTests {
    private struct Hostile: Sendable {
        let name: String
        let refusal: TokenRefusal
        let token: String
    }

    private let claims = #"{"iss":"https://id.example","aud":"app","sub":"u1","iat":1700000000,"exp":1700003600}"#
    private let header = #"{"alg":"RS256","kid":"k1"}"#

    private func tokens() throws -> [Hostile] {
        let key = try Gate.issuerKey.get()
        let other = try Gate.otherKey.get()
        let good = try Forge.rs256(self.header, self.claims, key)
        let parts = good.split(separator: ".").map(String.init)
        func signed(_ header: String? = nil, _ claims: String? = nil) throws -> String {
            try Forge.rs256(header ?? self.header, claims ?? self.claims, key)
        }
        func claims(_ rest: String) -> String { #"{"iss":"https://id.example","aud":"app","sub":"u1",\#(rest)}"# }
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let many = String(repeating: "1,", count: 2_000) + "1"
        return [
            Hostile(
                name: "the public key as the secret of HS256",
                refusal: .unsupportedAlgorithm,
                token: Forge.hs256(
                    #"{"alg":"HS256","kid":"k1"}"#,
                    self.claims,
                    secret: Array(key.publicKey.pemRepresentation.utf8)
                )
            ),
            Hostile(
                name: "unsigned",
                refusal: .unsupportedAlgorithm,
                token: "\(Forge.part(#"{"alg":"none","kid":"k1"}"#)).\(parts[1])."
            ),
            Hostile(
                name: "unsigned, in capitals",
                refusal: .unsupportedAlgorithm,
                token: "\(Forge.part(#"{"alg":"nOnE","kid":"k1"}"#)).\(parts[1]).\(parts[2])"
            ),
            Hostile(
                name: "RS512",
                refusal: .unsupportedAlgorithm,
                token: try signed(#"{"alg":"RS512","kid":"k1"}"#)
            ),
            Hostile(
                name: "an algorithm that nobody verifies, whose claims are not read",
                refusal: .unsupportedAlgorithm,
                token: "\(Forge.part(#"{"alg":"HS256","kid":"k1"}"#)).\(Forge.part("{")).\(parts[2])"
            ),
            Hostile(
                name: "an RSA key as one of ES256",
                refusal: .wrongAlgorithm,
                token: try signed(#"{"alg":"ES256","kid":"k1"}"#)
            ),
            Hostile(
                name: "a curve's key as one of RS256",
                refusal: .wrongAlgorithm,
                token: try Forge.es256(#"{"alg":"RS256","kid":"c1"}"#, self.claims, Gate.curveKey)
            ),
            Hostile(
                name: "a logout token",
                refusal: .wrongType,
                token: try signed(#"{"alg":"RS256","kid":"k1","typ":"logout+jwt"}"#)
            ),
            Hostile(
                name: "a number as type",
                refusal: .wrongType,
                token: try signed(#"{"alg":"RS256","kid":"k1","typ":1}"#)
            ),
            Hostile(
                name: "no algorithm",
                refusal: .malformed,
                token: try signed(#"{"kid":"k1"}"#)
            ),
            Hostile(
                name: "a path as key name",
                refusal: .unknownKey,
                token: try signed(#"{"alg":"RS256","kid":"../../../../dev/null"}"#)
            ),
            Hostile(
                name: "a key name that is too long",
                refusal: .malformed,
                token: try signed(#"{"alg":"RS256","kid":"\#(String(repeating: "k", count: 257))"}"#)
            ),
            Hostile(
                name: "a number as key name",
                refusal: .malformed,
                token: try signed(#"{"alg":"RS256","kid":1}"#)
            ),
            Hostile(name: "no key name", refusal: .unknownKey, token: try signed(#"{"alg":"RS256"}"#)),
            Hostile(
                name: "a key of its own in the header",
                refusal: .wrongSignature,
                token: try Forge.rs256(
                    #"{"alg":"RS256","kid":"k1","jwk":\#(try Forge.jwk("k1", other.publicKey)),"jku":"https://evil.example"}"#,
                    self.claims,
                    other
                )
            ),
            Hostile(
                name: "an extension it calls critical",
                refusal: .unsupportedExtension,
                token: try signed(#"{"alg":"RS256","kid":"k1","crit":["b64"],"b64":false}"#)
            ),
            Hostile(
                name: "an algorithm named twice",
                refusal: .duplicateMember,
                token: try signed(#"{"alg":"none","kid":"k1","alg":"RS256"}"#)
            ),
            Hostile(
                name: "an issuer named twice",
                refusal: .duplicateMember,
                token: try signed(nil, claims(#""iat":1700000000,"exp":1700003600,"iss":"https://id.example""#))
            ),
            Hostile(
                name: "a member named twice, once by an escape",
                refusal: .duplicateMember,
                token: try signed(nil, claims(#""exp":1700003600,"\u0065xp":1800000000"#))
            ),
            Hostile(
                name: "a huge header",
                refusal: .malformed,
                token: try signed(#"{"alg":"RS256","kid":"k1","x":"\#(String(repeating: "x", count: 1_100))"}"#)
            ),
            Hostile(
                name: "huge claims",
                refusal: .tooLong,
                token: try signed(nil, claims(#""exp":1700003600,"x":"\#(String(repeating: "x", count: 8_192))""#))
            ),
            Hostile(
                name: "deep claims",
                refusal: .malformed,
                token: try signed(nil, claims(#""exp":1700003600,"x":\#(deep)"#))
            ),
            Hostile(
                name: "many claims",
                refusal: .malformed,
                token: try signed(nil, claims(#""exp":1700003600,"x":[\#(many)]"#))
            ),
            Hostile(
                name: "claims of another token",
                refusal: .wrongSignature,
                token: "\(parts[0]).\(Forge.part(claims(#""exp":1800000000"#))).\(parts[2])"
            ),
            Hostile(
                name: "another key's signature",
                refusal: .wrongSignature,
                token: try Forge.rs256(self.header, self.claims, other)
            ),
            Hostile(name: "no signature", refusal: .wrongSignature, token: "\(parts[0]).\(parts[1])."),
            Hostile(
                name: "half a signature",
                refusal: .wrongSignature,
                token: "\(parts[0]).\(parts[1]).\(parts[2].prefix(100))"
            ),
            Hostile(
                name: "a curve's signature of garbage",
                refusal: .wrongSignature,
                token: try Forge.es256(#"{"alg":"ES256","kid":"c1"}"#, self.claims, Gate.curveKey)
                    .split(separator: ".").dropLast().joined(separator: ".") + "."
                    + Base64URL.encode([UInt8](repeating: 0xff, count: 64))
            ),
            Hostile(
                name: "a curve's signature of zeros",
                refusal: .wrongSignature,
                token: try Forge.es256(#"{"alg":"ES256","kid":"c1"}"#, self.claims, Gate.curveKey)
                    .split(separator: ".").dropLast().joined(separator: ".") + "."
                    + Base64URL.encode([UInt8](repeating: 0, count: 64))
            ),
            Hostile(
                name: "a curve's signature in DER",
                refusal: .wrongSignature,
                token: try Forge.es256(#"{"alg":"ES256","kid":"c1"}"#, self.claims, Gate.curveKey)
                    .split(separator: ".").dropLast().joined(separator: ".") + "."
                    + Base64URL.encode(
                        Array(
                            try Gate.curveKey.signature(for: SHA256.hash(data: [1])).derRepresentation
                        )
                    )
            ),
            Hostile(name: "two parts", refusal: .malformed, token: "\(parts[0]).\(parts[1])"),
            Hostile(name: "four parts", refusal: .malformed, token: "\(good).\(parts[2])"),
            Hostile(name: "padding", refusal: .malformed, token: "\(parts[0]).\(parts[1])=.\(parts[2])"),
            Hostile(name: "digits of the other alphabet", refusal: .malformed, token: "\(parts[0]).\(parts[1]).+/+/"),
            Hostile(name: "a list for claims", refusal: .malformed, token: try signed(nil, "[1]")),
            Hostile(name: "more after the claims", refusal: .malformed, token: try signed(nil, self.claims + "{}")),
            Hostile(
                name: "expired by a second",
                refusal: .expired,
                token: try signed(nil, claims(#""exp":1699999999"#))
            ),
            Hostile(name: "expired just now", refusal: .expired, token: try signed(nil, claims(#""exp":1700000000"#))),
            Hostile(
                name: "not yet good",
                refusal: .notYetValid,
                token: try signed(nil, claims(#""exp":1700003600,"nbf":1700000031"#))
            ),
            Hostile(
                name: "made in the future",
                refusal: .notYetValid,
                token: try signed(nil, claims(#""exp":1700003600,"iat":1700000031"#))
            ),
            Hostile(name: "no end", refusal: .missingClaim, token: try signed(nil, claims(#""iat":1700000000"#))),
            Hostile(
                name: "an end in words",
                refusal: .missingClaim,
                token: try signed(nil, claims(#""exp":"1700003600""#))
            ),
            Hostile(
                name: "an end past all numbers",
                refusal: .missingClaim,
                token: try signed(nil, claims(#""exp":1e300"#))
            ),
            Hostile(
                name: "an end before all times",
                refusal: .missingClaim,
                token: try signed(nil, claims(#""exp":-1"#))
            ),
            Hostile(
                name: "another audience",
                refusal: .wrongAudience,
                token: try signed(
                    nil,
                    #"{"iss":"https://id.example","aud":["other","app2"],"sub":"u1","exp":1700003600}"#
                )
            ),
            Hostile(
                name: "no audience",
                refusal: .wrongAudience,
                token: try signed(nil, #"{"iss":"https://id.example","sub":"u1","exp":1700003600}"#)
            ),
            Hostile(
                name: "another issuer",
                refusal: .unknownIssuer,
                token: try signed(nil, #"{"iss":"https://id.example/","aud":"app","sub":"u1","exp":1700003600}"#)
            ),
            Hostile(
                name: "no user",
                refusal: .missingClaim,
                token: try signed(nil, #"{"iss":"https://id.example","aud":"app","sub":"","exp":1700003600}"#)
            ),
            Hostile(
                name: "a key that is too small",
                refusal: .unknownKey,
                token: try signed(#"{"alg":"RS256","kid":"small"}"#)
            ),
            Hostile(name: "the emulator's owner", refusal: .malformed, token: "owner"),
            Hostile(name: "nothing", refusal: .malformed, token: ""),
            Hostile(
                name: "an access token that nobody sealed",
                refusal: .wrongSignature,
                token: "brasa~AAAAAAAAAAAAAAAA~AAAA"
            ),
        ]
    }

    @Test func `A token made to be taken for what it is not names nobody`() async throws {
        let gate = Gate()
        let small = try _RSA.Signing.PrivateKey(unsafePEMRepresentation: Self.smallKey)
        gate.publishKeys(
            try Forge.jwk("k1", Gate.issuerKey.get().publicKey),
            Forge.jwk("c1", Gate.curveKey.publicKey),
            try Forge.jwk("small", small.publicKey)
        )
        let tokens = try self.tokens()
        let good = try Forge.rs256(self.header, self.claims, Gate.issuerKey.get())
        try await gate.fetching {
            #expect(await gate.settled(good).user?.id == "u1")
            for hostile in tokens {
                #expect(await gate.settled(hostile.token).refusal == hostile.refusal, "\(hostile.name)")
            }
        }
        #expect(gate.fetcher.fetched.count == 1, "made-up key names cost the issuer nothing")
    }

    @Test(arguments: ["", "Bearer", "bearer", "Basic dXNlcjpwYXNz", "Bearer\u{0}x.y.z", "Tokenx a.b.c"])
    func `What is no bearer token names nobody`(_ authorization: String) {
        let gate = Gate(isEmulator: true)
        #expect(gate.verifier.verdict(on: Array(authorization.utf8), at: gate.now).refusal == .notBearer)
    }

    @Test func `What a refusal says holds nothing of the token`() throws {
        // A closed set of fixed sentences: nothing that a caller sends is in them.
        #expect(Set(TokenRefusal.allCases.map(\.description)).count == TokenRefusal.allCases.count)
    }

    /// A signature (r, s) of a curve can be had as (r, n - s) as well. Standards for tokens allow both, and half of what
    /// issuers make is the higher one.
    @Test func `A curve's signature is believed in both of its forms`() async throws {
        let gate = Gate()
        gate.publishKeys(Forge.jwk("c1", Gate.curveKey.publicKey))
        try await gate.fetching {
            // One in two is high, by chance.
            for index in 0..<32 {
                let claims = #"{"iss":"https://id.example","aud":"app","sub":"u\#(index)","exp":1700003600}"#
                let token = try Forge.es256(#"{"alg":"ES256","kid":"c1"}"#, claims, Gate.curveKey)
                #expect(await gate.settled(token).user?.id == "u\(index)")
            }
        }
    }

    /// 1024 bits; of no worth.
    private static let smallKey = """
        -----BEGIN RSA PRIVATE KEY-----
        MIICXQIBAAKBgQC2Ogq/uNDr1J7KGBLd5s5lVh42+0lPs6daX4NIBiobB4Mz31H5
        uQmqCeFoc4RTUohfNoo+tkwb2U7SAMtKIX77fX4a7BOoJ0LB17MRZaUG9ythCd8l
        9SF3QwcV0516oIfg3sQ9xfKU8tPk9DWlIVYvKhk2aHkc6yxJuViAeuZXOQIDAQAB
        AoGAaZfIksAtj/ps6P56MEuGXgJBD+sc2CpqV1vxXtLzoyX/SRenEOXAS9/d1gDa
        NM4mZ8Xa5ewMvjZ2DgqXwiUWxvhuD4BhkC+55k0OYQNKkR1Xa2/k47MNcZFoxlus
        C6WpgaICQdxdp6kE44LFOYQlJmzLjWLQbQzEjX4bgaDyjGECQQDwxoY9W4cI4ISC
        AR3+P0q+gxCCEJaVfCT0BOjHbAjUHho+wY0Hx6wnFctbR2iR/pELLx4CCKkS38J5
        8qn7JyeTAkEAwb/HRzkD7zxlFlnl6RJwgYL9l7azBVx8iuhYe/ipftQuoUdQ0BNC
        63nZenS0wgtYUuNyhrQUhIlmEEHegR7tgwJBAMAzCVeTZ5CrgLsyXxnktiqr/xKE
        YWBEsE7mWFdQox+IRBUSdhzexEqS+DkOIKhiGLBf1Ul0VlrNqbWlAxGMaOcCQQC8
        +waxXdeMnmgraPxsXmQGr3ITbU0oyZFhHEhSg7Uv1F63SQx2KJN5g5yxaOx26QH5
        t4iaA0SQEkTPTrBtWXFpAkBNfUFCB8lkXVQ1Fh+gUu6QtQq5aVEpMSs+cPIZesjl
        /IW8XObtUA4G9Nw1jiBDKnKoQVhgEC7A+QKem3KplNy3
        -----END RSA PRIVATE KEY-----
        """
}
