package import BrasaPlatform

/// The public half of a key that a program with an administrator's rights has, and what it may be used for.
package struct AdministratorKey: Hashable, Sendable {
    package enum Role: String, Sendable, CaseIterable {
        case administrator
        case readOnly = "read-only"
    }

    /// `private_key_id` of the key file, `kid` of the tokens that the key signs.
    package let id: String
    /// What the operator calls it; no two keys have one name.
    package let name: String
    /// `client_email` of the key file, issuer of the tokens that the key signs.
    package let email: String
    package let role: Role
    /// Names of the databases that it is for, `projects/P/databases/D`; none: all.
    package let databases: [String]
    /// `token_uri` of the key file, an audience of the tokens that the key signs.
    package let tokenURI: String
    package let publicKeyPEM: String
    package let created: WallTime
    package var isDisabled = false

    /// Lower case letters, digits and dashes, as the user part of an address has them; 63 at most.
    package static func isName(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...63).contains(bytes.count) && bytes.first != UInt8(ascii: "-")
            && bytes.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    package static func isDatabase(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 4 && text.utf8.count <= 256 && parts[0] == "projects" && !parts[1].isEmpty
            && parts[2] == "databases" && !parts[3].isEmpty
    }
}
