/// Whose token a client's connections show to a server.
package enum TokenChoice: Sendable {
    /// Of whom the program says.
    case provider(TokenProvider)
    /// Of the administrator that a key file names.
    case keyFile(KeyFile)
    /// Always the same; nil for none.
    case fixed(String?)

    /// What of a server decides whose token it may see.
    package struct Server: Sendable {
        package var isEncrypted: Bool
        /// It need not be one that the program's tokens were made for.
        package var isEmulator: Bool
        /// It is on this machine.
        package var isOnLoopback: Bool

        package init(isEncrypted: Bool, isEmulator: Bool, isOnLoopback: Bool) {
            (self.isEncrypted, self.isEmulator, self.isOnLoopback) = (isEncrypted, isEmulator, isOnLoopback)
        }
    }

    private static let variable = "GOOGLE_APPLICATION_CREDENTIALS"

    /// - Parameters:
    ///   - provider: of the program, which goes before all others.
    ///   - keyFile: the path of a key file that the program names.
    ///   - environment: is asked for a key file where the program names none and the way to the server is encrypted.
    package init(provider: TokenProvider?, keyFile: String?, server: Server, environment: [String: String]) {
        let path = keyFile ?? (server.isEncrypted ? environment[Self.variable] : nil)
        if !server.isEmulator, let provider {
            self = .provider(provider)
        } else if !server.isEmulator, let path, !path.isEmpty {
            self = .keyFile(KeyFile(path, isSecret: server.isEncrypted || server.isOnLoopback))
        } else {
            // Servers nearby, which are not encrypted, know the token of an administrator by heart; emulators get no other.
            self = .fixed(server.isEncrypted ? nil : "owner")
        }
    }
}
