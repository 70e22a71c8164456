/// A configuration of issuers that cannot be meant.
package enum TokenIssuersError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One would stand for the other's users.
    case duplicate(String)

    package var description: String {
        switch self {
        case .duplicate(let name): "there are two issuers named \(name)"
        }
    }
}

/// The issuers that are configured, no two of one name.
package struct TokenIssuers: Sendable {
    let all: [TokenIssuer]

    package init(_ issuer: TokenIssuer) {
        self.all = [issuer]
    }

    package init(_ issuers: [TokenIssuer]) throws(TokenIssuersError) {
        var names: Set<String> = []
        for issuer in issuers where !names.insert(issuer.issuer).inserted { throw .duplicate(issuer.issuer) }
        self.all = issuers
    }
}
