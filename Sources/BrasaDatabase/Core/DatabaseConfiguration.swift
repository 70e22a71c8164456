internal import BrasaApp
internal import BrasaClientNetwork
internal import BrasaCredentials
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
            switch self.tokenChoice(address, environment) {
            case .provider(let provider): configuration.tokenProvider = provider
            case .keyFile(let file):
                configuration.tokenProvider = { _ in try Self.token(of: file) }
                // Whoever reads along elsewhere could use the token.
                configuration.isHostFixed = !address.isEncrypted
            case .fixed(let text): configuration.token = text
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

    private func tokenChoice(_ address: DatabaseAddress, _ environment: [String: String]) -> TokenChoice {
        TokenChoice(
            provider: self.tokenProvider,
            keyFile: self.keyFile,
            server: TokenChoice.Server(
                isEncrypted: address.isEncrypted,
                isEmulator: address.isEmulator,
                isOnLoopback: address.server.isOnLoopback
            ),
            environment: environment
        )
    }
}
