package import BrasaClientNetwork

/// Where a database is, and how to get there.
package struct TreeServer: Sendable {
    /// The database's name.
    package var name: String
    package var address: ServerAddress
    package var security: ChannelSecurity
    /// Whether it stays where it is, whatever it says.
    package var isEmulator: Bool

    package init(name: String, address: ServerAddress, security: ChannelSecurity, isEmulator: Bool = false) {
        (self.name, self.address, self.security, self.isEmulator) = (name, address, security, isEmulator)
    }

    var defaultPort: Int { ServerAddress.defaultPort(isEncrypted: self.security.isEncrypted) }
}
