import BrasaIdentity
package import BrasaPlatform
import Crypto
import CryptoExtras

/// A key file that cannot be used.
package enum AdministratorKeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(DiskError)
    case malformed(path: String)

    package var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .malformed(let path): "\(path) is no key file as `brasa keys create` prints it"
        }
    }
}

/// What `brasa keys create` has printed, as a program has it: it signs its own tokens.
package struct AdministratorKeyFile: Sendable {
    private static let bytesMax = 16 << 10

    private let id: String
    private let email: String
    private let key: _RSA.Signing.PrivateKey

    package init(_ path: String, disk: any Disk) throws(AdministratorKeyFileError) {
        let bytes = try Self.bytes(path, disk)
        guard let members = try? JSONReader.object(bytes), case .text(let id) = members["private_key_id"],
            case .text(let email) = members["client_email"],
            case .text(let pem) = members["private_key"],
            let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem)
        else { throw .malformed(path: path) }
        (self.id, self.email, self.key) = (id, email, key)
    }

    private static func bytes(_ path: String, _ disk: any Disk) throws(AdministratorKeyFileError) -> [UInt8] {
        do {
            let file = try disk.open(path, .readOnly)
            defer { file.close() }
            var bytes = [UInt8](repeating: 0, count: min(try file.size(), Self.bytesMax))
            let count = try bytes.withUnsafeMutableBytes { try file.readFully(into: $0, at: 0) }
            return Array(bytes.prefix(count))
        } catch let error as DiskError {
            throw .unreadable(error)
        } catch {
            throw .malformed(path: path)
        }
    }

    /// A token for a call, good for an hour; nil when the key does not sign.
    package func callToken(at now: WallTime) -> String? {
        let seconds = now.microseconds / 1_000_000
        let header = JSONWriter.object([
            ("alg", .string(SigningAlgorithm.rs256.rawValue)), ("typ", .string("JWT")), ("kid", .string(self.id)),
        ])
        let claims = JSONWriter.object([
            ("iss", .string(self.email)), ("sub", .string(self.email)),
            ("aud", .string(AdministratorTokens.defaultAudience)), ("iat", .integer(seconds)),
            ("exp", .integer(seconds + AdministratorTokens.lifeMax / 1_000_000)),
        ])
        let signed = "\(Base64URL.encode(Array(header.text.utf8))).\(Base64URL.encode(Array(claims.text.utf8)))"
        guard
            let signature = try? self.key.signature(
                for: SHA256.hash(data: Array(signed.utf8)),
                padding: .insecurePKCS1v1_5
            )
        else { return nil }
        return "\(signed).\(Base64URL.encode(Array(signature.rawRepresentation)))"
    }
}
