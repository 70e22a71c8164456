package import BrasaPlatform
import CryptoExtras

extension AdministratorKeyStore {
    /// Makes a key.
    ///
    /// - Parameters:
    ///   - project: what programs with the key file take for their project when they name none.
    ///   - server: where programs reach the server, as in `https://db.example:8080`.
    /// - Returns: the key file's text, the only place that has the private half.
    package func create(
        _ name: String,
        role: AdministratorKey.Role,
        databases: [String],
        project: String,
        server: String,
        clock: Clock,
        entropy: Entropy
    ) throws(AdministratorKeyError) -> String {
        guard AdministratorKey.isName(name) else { throw .wrongName(name) }
        guard AdministratorKey.isName(project) else { throw .wrongName(project) }
        guard databases.count <= AdministratorKeyList.databasesMax else { throw .tooManyDatabases }
        if let wrong = databases.first(where: { !AdministratorKey.isDatabase($0) }) { throw .wrongDatabase(wrong) }
        guard Self.isServer(server) else { throw .wrongServer(server) }
        let server = server.hasSuffix("/") ? String(server.dropLast()) : server
        let pair: _RSA.Signing.PrivateKey
        do {
            pair = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        } catch {
            throw .keyNotMade
        }
        let key = AdministratorKey(
            id: entropy.bytes(20).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined(),
            name: name,
            email: "\(name)@\(project).brasa",
            role: role,
            databases: databases,
            tokenURI: server + TokenExchange.path,
            publicKeyPEM: pair.publicKey.pemRepresentation,
            created: clock.wall()
        )
        try self.change { list throws(AdministratorKeyError) in
            guard !list.keys.contains(where: { $0.name == name }) else { throw .nameTaken(name) }
            guard list.keys.count < AdministratorKeyList.keysMax else { throw .tooMany }
            if list.secret.isEmpty { list.secret = entropy.bytes(AdministratorKeyList.secretBytes) }
            list.keys.append(key)
        }
        return Self.keyFile(key, project: project, server: server, privateKeyPEM: pair.pkcs8PEMRepresentation)
    }

    /// Its tokens name nobody until it is enabled again.
    package func setDisabled(_ isDisabled: Bool, _ name: String) throws(AdministratorKeyError) {
        try self.change { list throws(AdministratorKeyError) in
            guard let index = list.keys.firstIndex(where: { $0.name == name }) else { throw .notFound(name) }
            list.keys[index].isDisabled = isDisabled
        }
    }

    package func delete(_ name: String) throws(AdministratorKeyError) {
        try self.change { list throws(AdministratorKeyError) in
            guard let index = list.keys.firstIndex(where: { $0.name == name }) else { throw .notFound(name) }
            list.keys.remove(at: index)
        }
    }

    private static func isServer(_ text: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }) else { return false }
        let address = text.dropFirst(scheme.count)
        let rest = address.hasSuffix("/") ? address.dropLast() : address
        return !rest.isEmpty && rest.utf8.count <= 255
            && rest.utf8.allSatisfy { (0x21...0x7e).contains($0) && !"/?#\"\\@".utf8.contains($0) }
    }

    /// The format of Google's service accounts, which official clients read by `GOOGLE_APPLICATION_CREDENTIALS`.
    private static func keyFile(
        _ key: AdministratorKey,
        project: String,
        server: String,
        privateKeyPEM: String
    ) -> String {
        let members = [
            ("type", "service_account"), ("project_id", project), ("private_key_id", key.id),
            // With a line's end at its end, as files of Google's have it.
            ("private_key", privateKeyPEM.hasSuffix("\n") ? privateKeyPEM : privateKeyPEM + "\n"),
            ("client_email", key.email), ("client_id", Self.clientID(key.id)), ("auth_uri", server + "/auth"),
            ("token_uri", key.tokenURI), ("universe_domain", "googleapis.com"),
        ]
        return JSONWriter.object(members.map { ($0, .string($1)) }).text
    }

    /// A number of 20 digits, as clients expect of it; nothing here asks for it.
    private static func clientID(_ id: String) -> String {
        let digits = String(UInt64(id.prefix(16), radix: 16) ?? 0)
        return String(repeating: "0", count: 20 - digits.count) + digits
    }
}
