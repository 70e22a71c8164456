import BrasaPlatform
import Logging

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Writes the server's log to standard error, a line at a time.
struct ServerLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    /// Of all loggers that were made with it.
    var logLevel: Logger.Level {
        get { self.level.value }
        set { self.level.value = newValue }
    }
    private let level: LogLevel
    private let format: LogFormat
    private let write: @Sendable (String) -> Void

    init(
        _ format: LogFormat,
        level: LogLevel = LogLevel(),
        write: @escaping @Sendable (String) -> Void = ServerLogHandler.writeToStandardError
    ) {
        self.format = format
        self.level = level
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var metadata = self.metadata.merging(event.metadata ?? [:]) { $1 }
        if let error = event.error, metadata["error"] == nil { metadata["error"] = "\(error)" }
        let line = self.format.line(
            at: Clock.system.wall().microseconds,
            event.level,
            event.message.description,
            metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        )
        self.write(line + "\n")
    }

    /// In one write, so that lines of several threads do not mix. Where nobody reads it, nothing can be done.
    @Sendable private static func writeToStandardError(_ line: String) {
        var rest = Array(line.utf8)[...]
        while !rest.isEmpty {
            #if canImport(Glibc)
                let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            #else
                let count = rest.withUnsafeBytes { Darwin.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            #endif
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
