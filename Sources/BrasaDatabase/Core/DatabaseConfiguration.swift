internal import BrasaApp
internal import BrasaClientNetwork
internal import BrasaTreeRemote
internal import Foundation

extension Database.State {
    /// What its client works with.
    /// - Parameter environment: may name a key file.
    func configuration(
        app: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Result<TreeHost.Configuration, DatabaseFault> {
        self.address.flatMap { address in
            var configuration = TreeHost.Configuration(
                server: address.server(trustedRootsFile: self.trustedRootsFile),
                clock: { DatabaseClock.milliseconds() }
            )
            // Servers nearby, which are not encrypted, know the token of an administrator by heart; emulators get no other.
            if !address.isEmulator, let provider = self.tokenProvider {
                configuration.tokenProvider = provider
            } else if !address.isEmulator, let file = self.key(address, environment) {
                configuration.tokenProvider = { _ in try Self.token(of: file) }
                // Whoever reads along elsewhere could use the token.
                configuration.isHostFixed = !address.isEncrypted
            } else if !address.isEncrypted {
                configuration.token = "owner"
            }
            do throws(DatabaseFault) {
                configuration.storage = try self.persistence.open(app: app, address)
            } catch {
                return .failure(error)
            }
            return .success(configuration)
        }
    }

    /// Whoever waits for the connection is told nothing of it.
    private static func token(of file: KeyFile) throws(KeyFileError) -> String {
        do throws(KeyFileError) {
            return try file.token()
        } catch {
            Database.log.notice("there is no connection without a token: \(error.description)")
            throw error
        }
    }

    private func key(_ address: DatabaseAddress, _ environment: [String: String]) -> KeyFile? {
        KeyFile(
            self.keyFile,
            environment: environment,
            isEncrypted: address.isEncrypted,
            isOnLoopback: address.server.isOnLoopback
        )
    }
}
