/// An OpenID provider whose users are believed.
package struct TokenIssuer: Hashable, Sendable {
    package enum KeySource: Hashable, Sendable {
        /// A JSON Web Key Set at an `https` URL.
        case url(String)
        /// The URL that the issuer's `/.well-known/openid-configuration` gives.
        case discovery
        /// A file with a JSON Web Key Set, read again when it may have changed.
        case file(String)
    }

    /// `iss` of its tokens, letter by letter.
    package let issuer: String
    /// Any one of these has to be in a token's `aud`.
    package let audiences: Set<String>
    package let keys: KeySource

    package init(issuer: String, audiences: Set<String>, keys: KeySource) {
        self.issuer = issuer
        self.audiences = audiences
        self.keys = keys
    }

    /// Letter by letter: texts are equal, too, that only look the same.
    func isSame(as other: TokenIssuer) -> Bool {
        self == other && self.issuer.utf8.elementsEqual(other.issuer.utf8)
            && self.audiences.allSatisfy { audience in
                other.audiences.contains { $0.utf8.elementsEqual(audience.utf8) }
            }
    }

    /// Firebase Authentication's users of a project.
    package static func firebase(project: String) -> TokenIssuer {
        TokenIssuer(
            issuer: "https://securetoken.google.com/\(project)",
            audiences: [project],
            keys: .url("https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com")
        )
    }
}
