import Logging
import NIOConcurrencyHelpers

/// The settings of a server that runs: they are read again on demand, and some of them can be others then.
final class LiveSettings: Sendable {
    private let reader: SettingsReader
    /// As they hold.
    private let configuration: NIOLockedValueBox<ServerConfiguration>

    init(_ configuration: ServerConfiguration, from reader: SettingsReader) {
        self.reader = reader
        self.configuration = NIOLockedValueBox(configuration)
    }

    /// - Returns: what holds from now on. Nil when it cannot be read, and nothing changes.
    func reread(_ logger: Logger) -> ServerConfiguration? {
        let read: ServerConfiguration
        do throws(StartError) {
            read = try self.reader.read().configuration
        } catch {
            logger.error("the settings of before go on, since they cannot be read", metadata: ["error": "\(error)"])
            return nil
        }
        return self.configuration.withLockedValue { configuration in
            for setting in Setting.all where setting.text(read) != setting.text(configuration) {
                guard setting.isLive else {
                    logger.warning(
                        "a setting has changed that takes a restart",
                        metadata: ["setting": "\(setting.name)"]
                    )
                    continue
                }
                setting.copy(read, &configuration)
                logger.notice(
                    "a setting has changed",
                    metadata: ["setting": "\(setting.name)", "value": "\(setting.text(read))"]
                )
            }
            return configuration
        }
    }
}
