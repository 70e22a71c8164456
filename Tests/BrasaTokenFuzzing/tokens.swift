import BrasaPlatform
import BrasaTokens

/// What stands in `authorization`, and what is sent to be exchanged: first as it is; then, parted by the first byte 0xFF, as the
/// header and the claims of a token, which get their dots and letters here. Whatever it is, a server without keys lets nobody
/// in as an administrator, and an emulator nobody whose token claims a signature.
package func fuzzTokens(_ bytes: [UInt8]) {
    TokenInput.show(bytes)
    let parts = bytes.split(separator: 0xFF, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return }
    let token = TokenInput.letters(parts[0]) + [UInt8(ascii: ".")] + TokenInput.letters(parts[1])
    for signature in ["", "AAAA"] {
        let signed = token + [UInt8(ascii: ".")] + Array(signature.utf8)
        TokenInput.show(Array("Bearer ".utf8) + signed)
        TokenInput.exchange(
            Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=".utf8) + signed
        )
    }
}

private enum TokenInput {
    static let issuer = TokenIssuer(issuer: "https://i.e", audiences: ["app"], keys: .file("/none"))
    static let verifiers = [false, true].map { isEmulator in
        TokenVerifier(
            store: AdministratorKeyStore(disk: RealDisk(), dataDirectory: "/none"),
            issuers: IssuerKeys(
                TokenIssuers(Self.issuer),
                fetcher: nil,
                disk: RealDisk(),
                clock: .system,
                onFailure: { _, _ in }
            ),
            isEmulator: isEmulator
        )
    }
    static let now = WallTime(microseconds: 1_700_000_000_000_000)

    static func show(_ authorization: [UInt8]) {
        for (index, verifier) in self.verifiers.enumerated() {
            guard case .verified(let token) = verifier.verdict(on: authorization, at: self.now) else { continue }
            precondition(index == 1, "somebody is known where there are no keys")
            precondition(verifier.refusal(of: token, at: self.now) == nil)
        }
        self.exchange(authorization)
    }

    static func exchange(_ body: [UInt8]) {
        for verifier in self.verifiers {
            precondition(
                verifier.exchange(body, at: self.now).status >= 400,
                "a token is given out where there are no keys"
            )
        }
    }

    /// Base64 with the letters of URLs, without padding.
    static func letters(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var (letters, pool, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for byte in bytes {
            pool = (pool << 8 | UInt32(byte)) & 0xffff
            count += 8
            while count >= 6 {
                count -= 6
                letters.append(alphabet[Int(pool >> count & 63)])
            }
        }
        if count > 0 { letters.append(alphabet[Int(pool << (6 - count) & 63)]) }
        return letters
    }
}
