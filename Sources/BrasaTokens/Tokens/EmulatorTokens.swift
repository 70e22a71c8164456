import BrasaIdentity

/// Who a token of the emulator names. Nobody has signed it: only for a server that nobody but its own machine reaches.
enum EmulatorTokens {
    private static let owner = Array("owner".utf8)

    static func isOwner(_ token: ArraySlice<UInt8>) -> Bool { token.elementsEqual(Self.owner) }

    /// The user that an unsigned token names, by `sub` or `user_id`. Test tools set times as they like: none is looked at.
    /// - Returns: nil for a token that says that it is signed.
    static func user(_ token: SignedToken) throws(TokenRefusal) -> User? {
        guard token.algorithm == SignedToken.unsigned else { return nil }
        guard token.signature.isEmpty else { throw .malformed }
        let name: ClaimName = token.claims["sub"] != nil ? "sub" : "user_id"
        return User(id: try token.text(name), claims: token.claims)
    }
}
