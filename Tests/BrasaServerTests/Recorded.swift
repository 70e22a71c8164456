import Logging
import Synchronization

/// What happened, in its order, on any thread.
final class Recorded<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var list: [Element] { self.elements.withLock { $0 } }

    func append(_ element: Element) {
        self.elements.withLock { $0.append(element) }
    }
}

struct RecordingLogHandler: LogHandler {
    private let lines: Recorded<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(_ lines: Recorded<String>) {
        self.lines = lines
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        self.lines.append("\(event.level): \(event.message)")
    }
}
