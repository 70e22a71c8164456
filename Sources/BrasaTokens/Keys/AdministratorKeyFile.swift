import BrasaIdentity
package import BrasaPlatform
package import BrasaSigner

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

extension SigningKey {
    /// What `brasa keys create` has printed, as a program has it.
    package init(keyFile path: String, disk: any Disk) throws(AdministratorKeyFileError) {
        let bytes = try Self.bytes(path, disk)
        guard let members = try? JSONReader.object(bytes),
            case .text(let id) = members["private_key_id"], case .text(let email) = members["client_email"],
            case .text(let pem) = members["private_key"],
            let key = SigningKey(id: id, email: email, privateKeyPEM: pem)
        else { throw .malformed(path: path) }
        self = key
    }

    private static func bytes(_ path: String, _ disk: any Disk) throws(AdministratorKeyFileError) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(DiskError) {
            bytes = try disk.contents(of: path, bytesMax: Self.fileBytesMax)
        } catch {
            throw .unreadable(error)
        }
        guard let bytes else { throw .malformed(path: path) }
        return bytes
    }
}
