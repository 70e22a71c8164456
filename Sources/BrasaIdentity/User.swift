/// Somebody whose token was verified. An object, so that a caller is one word, whatever the token says.
package final class User: Sendable {
    package let id: String
    /// What the token says, standard claims included, by name.
    package let claims: [ClaimName: Claim]

    package init(id: String, claims: [ClaimName: Claim] = [:]) {
        self.id = id
        self.claims = claims
    }
}

extension User: Hashable {
    package static func == (first: User, second: User) -> Bool {
        first === second || (ClaimName(first.id) == ClaimName(second.id) && first.claims == second.claims)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ClaimName(self.id))
    }
}

/// One value of a token's claims: what JSON has, whole numbers apart from others.
package indirect enum Claim: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([Claim])
    case map([ClaimName: Claim])
}

/// Texts are equal byte by byte, which those of the language are not.
extension Claim: Hashable {
    package static func == (first: Claim, second: Claim) -> Bool {
        switch (first, second) {
        case (.null, .null): true
        case (.bool(let first), .bool(let second)): first == second
        case (.integer(let first), .integer(let second)): first == second
        case (.number(let first), .number(let second)): first == second
        case (.text(let first), .text(let second)): ClaimName(first) == ClaimName(second)
        case (.list(let first), .list(let second)): first == second
        case (.map(let first), .map(let second)): first == second
        case (.null, _), (.bool, _), (.integer, _), (.number, _), (.text, _), (.list, _), (.map, _): false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .text(let text): hasher.combine(ClaimName(text))
        case .list(let elements): hasher.combine(elements)
        case .map(let members): hasher.combine(members)
        }
    }
}

/// A name of JSON, equal to another byte by byte: `String` takes for one what only looks the same, and what two readers
/// take differently is of no use where it is decided who may do what.
package struct ClaimName: Hashable, Sendable, ExpressibleByStringLiteral {
    package let string: String

    package init(_ string: String) {
        self.string = string
    }

    package init(stringLiteral value: String) {
        self.init(value)
    }

    package static func == (first: ClaimName, second: ClaimName) -> Bool {
        first.string.utf8.elementsEqual(second.string.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in self.string.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0xFF))
    }
}
