internal import BrasaApp
internal import BrasaClientNetwork
internal import BrasaTreeRemote
internal import Foundation

extension Database.State {
    /// What its client works with.
    func configuration(app: String) -> Result<TreeHost.Configuration, DatabaseFault> {
        self.address.flatMap { address in
            var configuration = TreeHost.Configuration(
                server: address.server(trustedRootsFile: self.trustedRootsFile),
                clock: { DatabaseClock.milliseconds() }
            )
            // Servers nearby, which are not encrypted, know the token of an administrator by heart; emulators get no other.
            if !address.isEmulator, let provider = self.tokenProvider {
                configuration.tokenProvider = provider
            } else if !address.isEmulator, let file = self.key(address) {
                configuration.tokenProvider = { _ in try file.token() }
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
    private func key(_ address: DatabaseAddress) -> KeyFile? {
        KeyFile(
            self.keyFile,
            environment: ProcessInfo.processInfo.environment,
            isEncrypted: address.isEncrypted,
            isOnLoopback: address.server.isOnLoopback
        )
    }
}
