internal import BrasaSigner
internal import Foundation

/// A key file as `brasa keys create` prints it: signs the tokens of an administrator's calls.
package struct KeyFile: Sendable {
    private let path: String
    private let isSecret: Bool

    /// - Parameter isSecret: what is shown to the server is seen by nobody else.
    init(_ path: String, isSecret: Bool) {
        (self.path, self.isSecret) = (path, isSecret)
    }

    /// The file is read for each new token, so that it can be replaced.
    package func token() throws(KeyFileError) -> String {
        try self.token(at: Int64(Date().timeIntervalSince1970))
    }

    package func token(at seconds: Int64) throws(KeyFileError) -> String {
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

/// Why no token comes of a key file.
package struct KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
