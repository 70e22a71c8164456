import BrasaIdentity

package enum JSONWebKeySetError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLong
    case malformed

    package var description: String {
        switch self {
        case .tooLong: "the key set is longer than \(JSONWebKeySet.bytesMax) bytes"
        case .malformed: "this is no JSON Web Key Set"
        }
    }
}

/// What an operator should know about a set that is used nevertheless.
package enum JSONWebKeySetFlaw: Hashable, Sendable, CustomStringConvertible {
    case duplicateKeyID
    case noUsableKey

    package var description: String {
        switch self {
        case .duplicateKeyID: "several keys of the set have one name (kid), and are not used"
        case .noUsableKey: "the set has no key for RS256 or ES256 that has a name (kid) and is strong enough"
        }
    }
}

/// The keys of an issuer (RFC 7517), by name. Those of other kinds, without a name, or too weak are left out, and so are
/// all that share a name. What is left may be nothing: an issuer that withdraws all its keys is believed, too.
package struct JSONWebKeySet: Sendable {
    package static let bytesMax = 256 << 10
    /// Issuers have two to six.
    static let keysMax = 64

    package let keys: [String: VerificationKey]
    package let flaws: [JSONWebKeySetFlaw]

    package init(parsing bytes: [UInt8]) async throws(JSONWebKeySetError) {
        guard bytes.count <= Self.bytesMax else { throw .tooLong }
        guard let members = try? JSONReader.object(bytes, valuesMax: 4_096), case .list(let entries) = members["keys"],
            entries.count <= Self.keysMax
        else { throw .malformed }
        var keys: [String: VerificationKey] = [:]
        var shared: Set<String> = []
        for case .map(let entry) in entries {
            guard case .text(let name) = entry["kid"], let key = await Self.key(entry) else { continue }
            if keys.updateValue(key, forKey: name) != nil { shared.insert(name) }
        }
        for name in shared { keys[name] = nil }
        self.keys = keys
        self.flaws = (shared.isEmpty ? [] : [.duplicateKeyID]) + (keys.isEmpty ? [.noUsableKey] : [])
    }

    private static func key(_ entry: [ClaimName: Claim]) async -> VerificationKey? {
        guard entry["use"] == nil || entry["use"] == .text("sig") else { return nil }
        switch (entry["kty"], entry["alg"]) {
        case (.text("RSA"), nil), (.text("RSA"), .text("RS256")):
            guard case .text(let modulus) = entry["n"], case .text(let exponent) = entry["e"] else { return nil }
            return try? await .rsa(modulus: modulus, exponent: exponent)
        case (.text("EC"), nil), (.text("EC"), .text("ES256")):
            guard entry["crv"] == .text("P-256"), case .text(let x) = entry["x"], case .text(let y) = entry["y"] else {
                return nil
            }
            return try? await .p256(x: x, y: y)
        default: return nil
        }
    }
}
