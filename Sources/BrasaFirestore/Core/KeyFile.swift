internal import BrasaApp
internal import BrasaClientNetwork
internal import Foundation

extension KeyFile {
    /// The one that the settings name, else, where the way to the server is encrypted, the environment's. Nil: there is none.
    init?(_ settings: FirestoreSettings.Values, _ place: ServerPlace) {
        self.init(
            settings.keyFile,
            environment: ProcessInfo.processInfo.environment,
            isEncrypted: place.isEncrypted,
            isOnLoopback: ServerAddress(place.host, defaultPort: 80)?.isOnLoopback ?? false
        )
    }
}
