import BrasaIdentity
import BrasaPlatform

/// All administrators' keys of a data folder, and the secret that access tokens are made with.
///
/// On disk it is one JSON object:
///
///     {"version": 1, "secret": "<32 bytes, base64url>", "keys": [{"id": …, "name": …, "email": …, "role": "read-only",
///      "databases": ["projects/p/databases/d"], "tokenURI": …, "publicKey": "<PEM>", "created": <µs>, "disabled": false}]}
package struct AdministratorKeyList: Hashable, Sendable {
    package static let keysMax = 1_000
    static let bytesMax = 4 << 20
    static let secretBytes = 32
    /// Of one key.
    package static let databasesMax = 32

    package internal(set) var keys: [AdministratorKey] = []
    /// Empty until there is a first key.
    var secret: [UInt8] = []

    init() {}

    init?(parsing bytes: [UInt8]) {
        guard bytes.count <= Self.bytesMax,
            let members = try? JSONReader.object(bytes, valuesMax: Self.keysMax * 64),
            members["version"] == .integer(1),
            case .text(let secret) = members["secret"], let secret = Base64URL.decode(secret.utf8),
            secret.count == Self.secretBytes, case .list(let entries) = members["keys"], entries.count <= Self.keysMax
        else { return nil }
        self.secret = secret
        for entry in entries {
            guard case .map(let entry) = entry, let key = Self.key(entry) else { return nil }
            self.keys.append(key)
        }
        guard Set(self.keys.map(\.id)).count == self.keys.count, Set(self.keys.map(\.name)).count == self.keys.count
        else { return nil }
    }

    private static func key(_ entry: [ClaimName: Claim]) -> AdministratorKey? {
        guard case .text(let id) = entry["id"], case .text(let name) = entry["name"],
            case .text(let email) = entry["email"], case .text(let role) = entry["role"],
            let role = AdministratorKey.Role(rawValue: role), case .list(let databases) = entry["databases"],
            case .text(let tokenURI) = entry["tokenURI"], case .text(let publicKeyPEM) = entry["publicKey"],
            case .integer(let created) = entry["created"], case .bool(let isDisabled) = entry["disabled"]
        else { return nil }
        var names: [String] = []
        for database in databases {
            // A key for some databases must not become one for all because a name cannot be read.
            guard case .text(let name) = database, AdministratorKey.isDatabase(name) else { return nil }
            names.append(name)
        }
        return AdministratorKey(
            id: id,
            name: name,
            email: email,
            role: role,
            databases: names,
            tokenURI: tokenURI,
            publicKeyPEM: publicKeyPEM,
            created: WallTime(microseconds: created),
            isDisabled: isDisabled
        )
    }

    var text: String {
        let keys = self.keys.map { key in
            JSONWriter.object([
                ("id", .string(key.id)), ("name", .string(key.name)), ("email", .string(key.email)),
                ("role", .string(key.role.rawValue)),
                ("databases", .list(key.databases.map { .string($0) })), ("tokenURI", .string(key.tokenURI)),
                ("publicKey", .string(key.publicKeyPEM)), ("created", .integer(key.created.microseconds)),
                ("disabled", .bool(key.isDisabled)),
            ])
        }
        return JSONWriter.object([
            ("version", .integer(1)), ("secret", .string(Base64URL.encode(self.secret))), ("keys", .list(keys)),
        ]).text + "\n"
    }
}
