internal import BrasaClientNetwork
internal import BrasaSigner
internal import Foundation
internal import Synchronization

/// A key file as `brasa keys create` prints it: signs the tokens of an administrator's calls.
struct KeyFile: Sendable {
    private static let variable = "GOOGLE_APPLICATION_CREDENTIALS"

    private let path: String
    private let isSecret: Bool

    /// The one that the settings name, else, where the way to the server is encrypted, the environment's. Nil: there is none.
    init?(_ settings: FirestoreSettings.Values, _ place: ServerPlace) {
        let environment = place.isEncrypted ? ProcessInfo.processInfo.environment[Self.variable] : nil
        guard let path = settings.keyFile ?? environment, !path.isEmpty else { return nil }
        self.path = path
        self.isSecret = place.isEncrypted || place.isOnLoopback
    }

    /// The file is read for each new token, so that it can be replaced.
    var provider: FirestoreSettings.TokenProvider {
        { _ in try self.token(at: Int64(Date().timeIntervalSince1970)) }
    }

    func token(at seconds: Int64) throws(KeyFileError) -> String {
        // Whoever reads along could use it for an hour.
        guard self.isSecret else { throw KeyFileError("A key's token is not shown in plain text beyond loopback.") }
        guard let token = try self.key().token(at: seconds) else {
            throw KeyFileError("The key in \(self.path) does not sign.")
        }
        return token
    }

    private struct Members: Decodable {
        let id: String
        let email: String
        let privateKey: String

        enum CodingKeys: String, CodingKey {
            case id = "private_key_id"
            case email = "client_email"
            case privateKey = "private_key"
        }
    }

    private func key() throws(KeyFileError) -> SigningKey {
        guard let handle = FileHandle(forReadingAtPath: self.path),
            let data = try? handle.read(upToCount: SigningKey.fileBytesMax) ?? Data()
        else { throw KeyFileError("The key file \(self.path) cannot be read.") }
        guard let members = try? JSONDecoder().decode(Members.self, from: data),
            let key = SigningKey(id: members.id, email: members.email, privateKeyPEM: members.privateKey)
        else { throw KeyFileError("\(self.path) is no key file as `brasa keys create` prints it.") }
        return key
    }
}

/// Why no token comes of a key file; told by the calls that would have had one.
struct KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ServerPlace {
    fileprivate var isOnLoopback: Bool {
        guard let address = ServerAddress(self.host, defaultPort: 80) else { return false }
        if address.host == "localhost" || address.host == "::1" { return true }
        let parts = address.host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
