import BrasaPlatform
import Crypto

/// What a client gets at `token_uri` for a token that its key has signed: the key's name and an end, under the server's
/// own seal. So nothing is kept for those that are out, and a restart does not end them.
///
///     brasa~<base64url of 8 bytes of seconds and the key's name>~<base64url of HMAC-SHA-256>
enum AccessToken {
    static let prefix = Array("brasa~".utf8)
    static let seconds: Int64 = 3_600
    static let bytesMax = 512
    /// So that what is sealed here is never taken for what the secret may seal elsewhere.
    private static let purpose = Array("brasa access token 1\0".utf8)

    static func make(for keyID: String, expires seconds: Int64, secret: [UInt8]) -> String {
        var payload: [UInt8] = []
        withUnsafeBytes(of: seconds.bigEndian) { payload.append(contentsOf: $0) }
        payload.append(contentsOf: keyID.utf8)
        let seal = HMAC<SHA256>.authenticationCode(for: Self.purpose + payload, using: SymmetricKey(data: secret))
        return "brasa~\(Base64URL.encode(payload))~\(Base64URL.encode(Array(seal)))"
    }

    /// Whose it is and until when, whether or not that is past.
    static func read(
        _ token: ArraySlice<UInt8>,
        secret: [UInt8]
    ) throws(TokenRefusal) -> (keyID: String, expires: WallTime) {
        guard token.count <= Self.bytesMax else { throw .tooLong }
        let parts = token.dropFirst(Self.prefix.count).split(
            separator: UInt8(ascii: "~"),
            omittingEmptySubsequences: false
        )
        guard parts.count == 2, let payload = Base64URL.decode(parts[0]), payload.count > 8,
            let seal = Base64URL.decode(parts[1])
        else { throw .malformed }
        // Without a secret nothing was ever sealed, and an empty one would be known to all.
        guard !secret.isEmpty,
            HMAC<SHA256>.isValidAuthenticationCode(
                seal,
                authenticating: Self.purpose + payload,
                using: SymmetricKey(data: secret)
            )
        else { throw .wrongSignature }
        let seconds = payload.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard (0...(1 << 40)).contains(seconds) else { throw .malformed }
        return (String(decoding: payload.dropFirst(8), as: UTF8.self), WallTime(microseconds: seconds * 1_000_000))
    }
}
