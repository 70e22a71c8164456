import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import Crypto
import CryptoExtras
import JWTKit
import Synchronization

@testable import BrasaTokens

/// Makes tokens, right and wrong, with nothing but Crypto: what stands in them is the test's own text.
enum Forge {
    static func part(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

    static func rs256(_ header: String, _ claims: String, _ key: _RSA.Signing.PrivateKey) throws -> String {
        let signed = "\(Self.part(header)).\(Self.part(claims))"
        let signature = try key.signature(for: SHA256.hash(data: Array(signed.utf8)), padding: .insecurePKCS1v1_5)
        return "\(signed).\(Base64URL.encode(Array(signature.rawRepresentation)))"
    }

    static func es256(_ header: String, _ claims: String, _ key: P256.Signing.PrivateKey) throws -> String {
        let signed = "\(Self.part(header)).\(Self.part(claims))"
        let signature = try key.signature(for: SHA256.hash(data: Array(signed.utf8)))
        return "\(signed).\(Base64URL.encode(Array(signature.rawRepresentation)))"
    }

    static func hs256(_ header: String, _ claims: String, secret: [UInt8]) -> String {
        let signed = "\(Self.part(header)).\(Self.part(claims))"
        let code = HMAC<SHA256>.authenticationCode(for: Array(signed.utf8), using: SymmetricKey(data: secret))
        return "\(signed).\(Base64URL.encode(Array(code)))"
    }

    static func jwk(_ name: String, _ key: _RSA.Signing.PublicKey) throws -> String {
        let primitives = try key.getKeyPrimitives()
        let (n, e) = (Base64URL.encode(Array(primitives.modulus)), Base64URL.encode(Array(primitives.publicExponent)))
        return #"{"kty":"RSA","use":"sig","alg":"RS256","kid":"\#(name)","n":"\#(n)","e":"\#(e)"}"#
    }

    static func jwk(_ name: String, _ key: P256.Signing.PublicKey) -> String {
        let bytes = Array(key.rawRepresentation)
        let (x, y) = (Base64URL.encode(bytes[..<32]), Base64URL.encode(bytes[32...]))
        return #"{"kty":"EC","crv":"P-256","kid":"\#(name)","x":"\#(x)","y":"\#(y)"}"#
    }
}

/// Answers from a table that the test changes, and counts.
final class ScriptedFetcher: DocumentFetcher {
    private let state = Mutex<(answers: [String: String], fetched: [String])>(([:], []))

    var fetched: [String] { self.state.withLock { $0.fetched } }

    func set(_ url: String, _ text: String?) { self.state.withLock { $0.answers[url] = text } }

    func fetch(_ url: String, bytesMax: Int) async throws(FetchError) -> [UInt8] {
        let text = self.state.withLock { state in
            state.fetched.append(url)
            return state.answers[url]
        }
        guard let text else { throw .status(404) }
        guard text.utf8.count <= bytesMax else { throw .tooLong }
        return Array(text.utf8)
    }
}

/// A verifier over a disk and a clock that the test owns, with one administrator's key and one issuer.
final class Gate: Sendable {
    static let issuer = "https://id.example"
    static let keysURL = "https://id.example/keys"
    /// Made once: it takes a tenth of a second or more.
    static let issuerKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }
    static let otherKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }
    static let curveKey = P256.Signing.PrivateKey()

    let disk = SimulatedDisk(seed: 1)
    let clock = SimulatedClock(wallMicroseconds: 1_700_000_000_000_000)
    let fetcher = ScriptedFetcher()
    let store: AdministratorKeyStore
    let issuers: IssuerKeys
    let verifier: TokenVerifier
    let failures = Failures()

    var now: WallTime { self.clock.clock.wall() }
    var seconds: Int64 { self.now.microseconds / 1_000_000 }

    init(isEmulator: Bool = false, issuers: TokenIssuers? = nil) {
        let failures = self.failures
        self.store = AdministratorKeyStore(disk: self.disk, dataDirectory: "data")
        self.issuers = IssuerKeys(
            issuers ?? TokenIssuers(TokenIssuer(issuer: Self.issuer, audiences: ["app"], keys: .url(Self.keysURL))),
            fetcher: self.fetcher,
            disk: self.disk,
            clock: self.clock.clock,
            onFailure: { failures.add("\($0): \($1)") }
        )
        self.verifier = TokenVerifier(
            store: self.store,
            issuers: self.issuers,
            audiences: ["https://db.example/"],
            isEmulator: isEmulator
        )
    }

    /// Makes a key and lets the verifier know; the key file's members.
    func makeKey(
        _ name: String = "app",
        role: AdministratorKey.Role = .administrator,
        databases: [String] = []
    ) async throws -> KeyFile {
        let text = try self.store.create(
            name,
            role: role,
            databases: databases,
            project: "demo",
            server: "https://db.example:8080",
            clock: self.clock.clock,
            entropy: .system
        )
        _ = await self.verifier.reload()
        return try KeyFile(text)
    }

    func verdict(_ token: String) -> TokenVerdict {
        self.verifier.verdict(on: Array("Bearer \(token)".utf8), at: self.now)
    }

    /// The verdict once all keys that it needs were fetched; `issuers.run` has to be running.
    func settled(_ token: String) async -> TokenVerdict {
        while true {
            guard case .waiting(let issuer) = self.verdict(token) else { return self.verdict(token) }
            await withCheckedContinuation { continuation in
                if !self.verifier.whenKeysCame(issuer, { continuation.resume() }) { continuation.resume() }
            }
        }
    }

    /// Runs `body` while keys are fetched.
    func fetching<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.issuers.run() }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    func publishKeys(_ keys: String...) {
        self.fetcher.set(Self.keysURL, #"{"keys":[\#(keys.joined(separator: ","))]}"#)
    }
}

final class Failures: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { self.lines.withLock { $0 } }
    func add(_ line: String) { self.lines.withLock { $0.append(line) } }
}

/// A key file as a client reads it.
struct KeyFile {
    let members: [ClaimName: Claim]
    let key: _RSA.Signing.PrivateKey

    init(_ text: String) throws {
        self.members = try JSONReader.object(Array(text.utf8))
        guard case .text(let pem) = self.members["private_key"] else { throw JSONError.malformed }
        self.key = try _RSA.Signing.PrivateKey(pemRepresentation: pem)
    }

    func text(_ member: String) -> String {
        guard case .text(let text) = self.members[ClaimName(member)] else { return "" }
        return text
    }

    var email: String { self.text("client_email") }
    var header: String { #"{"typ": "JWT", "alg": "RS256", "kid": "\#(self.text("private_key_id"))"}"# }

    /// What google-auth signs for a call.
    func callClaims(at seconds: Int64, audience: String = "https://firestore.googleapis.com/") -> String {
        #"{"iss":"\#(self.email)","sub":"\#(self.email)","iat":\#(seconds),"exp":\#(seconds + 3600),"aud":"\#(audience)"}"#
    }

    func callToken(at seconds: Int64) throws -> String {
        try Forge.rs256(self.header, self.callClaims(at: seconds), self.key)
    }

    /// What google-auth sends to `token_uri`: always for Google's endpoint, and without a subject.
    func grantToken(at seconds: Int64, audience: String = "https://oauth2.googleapis.com/token") throws -> String {
        let scope = "https://www.googleapis.com/auth/cloud-platform https://www.googleapis.com/auth/datastore"
        let claims =
            #"{"iat":\#(seconds),"exp":\#(seconds + 3600),"iss":"\#(self.email)","aud":"\#(audience)","scope":"\#(scope)"}"#
        return try Forge.rs256(self.header, claims, self.key)
    }
}

extension TokenVerdict {
    var refusal: TokenRefusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }

    var token: VerifiedToken? {
        if case .verified(let token) = self { token } else { nil }
    }

    var user: User? {
        if case .user(let user) = self.token?.bearer { user } else { nil }
    }

    var administrator: AdministratorKey? {
        if case .administrator(let key) = self.token?.bearer { key } else { nil }
    }
}
