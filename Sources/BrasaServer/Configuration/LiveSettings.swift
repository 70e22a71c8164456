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

    /// - Returns: what holds from now on. What cannot be read changes nothing.
    func reread(_ logger: Logger) -> ServerConfiguration {
        self.configuration.withLockedValue { configuration in
            do throws(StartError) {
                configuration = try self.changed(configuration, logger)
            } catch {
                logger.error("the settings of before go on, since these cannot be", metadata: ["error": "\(error)"])
            }
            return configuration
        }
    }

    private func changed(
        _ configuration: ServerConfiguration,
        _ logger: Logger
    ) throws(StartError) -> ServerConfiguration {
        let read = try self.reader.read().configuration
        let differing = Setting.all.filter { $0.text(read) != $0.text(configuration) }
        var changed = configuration
        for setting in differing where setting.isLive { setting.copy(read, &changed) }
        // Together with what does not change.
        try changed.checkMemory()
        if differing.contains(where: \.namesIssuers) { _ = try changed.issuers() }
        for setting in differing {
            if setting.isLive {
                let facts: Logger.Metadata = ["setting": "\(setting.name)", "value": "\(setting.text(read))"]
                logger.notice("a setting has changed", metadata: facts)
            } else {
                logger.warning("a setting has changed that takes a restart", metadata: ["setting": "\(setting.name)"])
            }
        }
        return changed
    }
}
