/// On whose behalf something is asked. Decided once for each call, before anything is done for it.
package enum Caller: Hashable, Sendable {
    /// The owner of the data: no rule is asked. Everybody, as long as nothing checks who calls.
    case administrator
    case user(User)
    /// Who has shown nothing that says who they are.
    case nobody
}

/// Somebody whose token was verified. An object, so that a caller is one word, whatever the token says.
package final class User: Sendable {
    package let id: String
    /// What the token says, standard claims included, by name.
    package let claims: [String: Claim]

    package init(id: String, claims: [String: Claim] = [:]) {
        self.id = id
        self.claims = claims
    }
}

extension User: Hashable {
    package static func == (first: User, second: User) -> Bool {
        first === second || (first.id == second.id && first.claims == second.claims)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.id)
    }
}

/// One value of a token's claims: what JSON has, whole numbers apart from others.
package indirect enum Claim: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([Claim])
    case map([String: Claim])
}
