/// The answer to a request at `token_uri`, as a body of JSON and the status to send it with.
package struct TokenResponse: Hashable, Sendable {
    package let status: Int
    package let body: [UInt8]
    /// For the log, when nothing was given out.
    package let refusal: TokenRefusal?
}

/// The token endpoint (RFC 6749, by the grant of RFC 7523): a token that an administrator's key has signed becomes an
/// access token. What a caller did wrong is told as far as the standard names it, and why a token is refused is not.
package enum TokenExchange {
    package static let path = "/token"
    package static let bodyBytesMax = 16 << 10
    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let parametersMax = 16

    enum Failure: String, Error {
        case invalidRequest = "invalid_request"
        case unsupportedGrantType = "unsupported_grant_type"
        case invalidGrant = "invalid_grant"
    }

    /// The assertion of a request's body (`application/x-www-form-urlencoded`).
    static func assertion(in body: [UInt8]) throws(Failure) -> [UInt8] {
        guard body.count <= Self.bodyBytesMax, let parameters = Self.parameters(body),
            let grantType = parameters["grant_type"]
        else { throw .invalidRequest }
        guard grantType == Self.grantType else { throw .unsupportedGrantType }
        guard let assertion = parameters["assertion"] else { throw .invalidRequest }
        return Array(assertion.utf8)
    }

    static func granted(_ token: String) -> TokenResponse {
        let body = JSONWriter.object([
            ("access_token", .string(token)), ("token_type", .string("Bearer")),
            ("expires_in", .integer(AccessToken.seconds)),
        ])
        return TokenResponse(status: 200, body: Array(body.text.utf8), refusal: nil)
    }

    static func refused(_ failure: Failure, _ refusal: TokenRefusal?) -> TokenResponse {
        let body = JSONWriter.object([("error", .string(failure.rawValue))])
        return TokenResponse(status: 400, body: Array(body.text.utf8), refusal: refusal)
    }

    /// Nil when the body is no form, or names something twice (RFC 6749, 3.2).
    private static func parameters(_ body: [UInt8]) -> [String: String]? {
        let pairs = body.split(separator: UInt8(ascii: "&"))
        guard pairs.count <= Self.parametersMax else { return nil }
        var parameters: [String: String] = [:]
        for pair in pairs {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = Self.decoded(parts[0]), let value = Self.decoded(parts[1]),
                parameters.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return parameters
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard rest.count >= 2, let value = Self.hexadecimal(rest.prefix(2)) else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt8? {
        digits.contains(UInt8(ascii: "+")) || digits.contains(UInt8(ascii: "-"))
            ? nil : UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
