import BrasaApp
import Logging
import Synchronization
import Testing

/// Where a library's lines go: to what the program has set up, under the library's name.
@Suite("Lines of a library")
struct ClientLogTests {
    private let lines = CollectedLines()

    private func log(_ level: Logger.Level) -> ClientLog {
        ClientLog("Library") { [lines] label in
            var logger = Logger(label: label, factory: { LineHandler(label: $0, lines: lines) })
            logger.logLevel = level
            return logger
        }
    }

    @Test("They have the library's name; those for debugging are left out where the program leaves them out")
    func levels() {
        let log = self.log(.info)
        log.notice("a")
        log.debug("b")
        #expect(self.lines.all == ["Library notice a"])
    }

    @Test("Lines for debugging are written as soon as they are asked for, and until they are not")
    func detail() {
        let log = self.log(.warning)
        log.notice("a")
        log.setDetailed(true)
        log.debug("b")
        log.notice("c")
        log.setDetailed(false)
        log.debug("d")
        log.notice("e")
        #expect(self.lines.all == ["Library debug b", "Library notice c"])
    }

    @Test("A line that is left out is not put together")
    func laziness() {
        let log = self.log(.info)
        log.debug(self.lines.noted("b"))
        #expect(self.lines.all.isEmpty)
    }

    @Test("A program's logging may itself use the library whose line it is for")
    func reentrance() {
        let used = LogInUse()
        let log = ClientLog("Library") { [lines] label in
            // Would wait for itself if the log were locked now.
            used.log.withLock { $0 }?.setDetailed(true)
            return Logger(label: label, factory: { LineHandler(label: $0, lines: lines) })
        }
        used.log.withLock { $0 = log }
        log.notice("a")
        log.debug("b")
        #expect(self.lines.all == ["Library notice a", "Library debug b"])
    }
}

private final class LogInUse: Sendable {
    let log = Mutex<ClientLog?>(nil)
}

private final class CollectedLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { self.lines.withLock { $0 } }

    func add(_ line: String) { self.lines.withLock { $0.append(line) } }

    func noted(_ line: String) -> String {
        self.add(line)
        return line
    }
}

private struct LineHandler: LogHandler {
    let label: String
    let lines: CollectedLines
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    init(label: String, lines: CollectedLines) {
        (self.label, self.lines) = (label, lines)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) { self.lines.add("\(self.label) \(event.level) \(event.message)") }
}
