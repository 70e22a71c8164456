import BrasaBytes
import Crypto
import CryptoExtras

/// The private half of an administrator's key, as a program has it from a key file: it signs the tokens of the program's calls.
package struct SigningKey: Sendable {
    /// Key files are two KiB or so.
    package static let fileBytesMax = 16 << 10
    /// What tokens for calls are for, by official clients' habit.
    package static let audience = "https://firestore.googleapis.com/"
    /// How long a token is good.
    package static let tokenSeconds: Int64 = 3_600

    private let id: String
    private let email: String
    private let key: _RSA.Signing.PrivateKey

    /// From a file's `private_key_id`, `client_email` and `private_key`. Nil: the last is no RSA key.
    package init?(id: String, email: String, privateKeyPEM: String) {
        guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: privateKeyPEM) else { return nil }
        (self.id, self.email, self.key) = (id, email, key)
    }

    /// - Parameter seconds: now, since the Unix epoch.
    /// - Returns: nil when the key does not sign.
    package func token(at seconds: Int64) -> String? {
        var header = JSONWriter()
        header.object {
            $0.member("alg", "RS256")
            $0.member("typ", "JWT")
            $0.member("kid", self.id)
        }
        var claims = JSONWriter()
        claims.object {
            $0.member("iss", self.email)
            $0.member("sub", self.email)
            $0.member("aud", Self.audience)
            $0.member("iat") { $0.number(seconds) }
            $0.member("exp") { $0.number(seconds + Self.tokenSeconds) }
        }
        let signed = "\(Self.encoded(header.bytes)).\(Self.encoded(claims.bytes))"
        let digest = SHA256.hash(data: Array(signed.utf8))
        guard let signature = try? self.key.signature(for: digest, padding: .insecurePKCS1v1_5) else { return nil }
        return "\(signed).\(Self.encoded(Array(signature.rawRepresentation)))"
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encode(bytes, .url, isPadded: false), as: UTF8.self)
    }
}
